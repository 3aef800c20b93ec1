package io.holdfast.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The administration, as the wire has it. */
class StreamAdminWireTest extends StreamWire {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String COUNTS =
      "{'total':%d,'pending':%d,'processing':%d,'completed':%d,'failed':0,'deadLetter':%d}";
  private static final String SPREAD = "{'avg':'*','median':'*','min':'*','max':'*'}";

  private String partition;
  private String lease;

  /** Three messages in a partition, the first two of them in somebody's hands. */
  @BeforeEach
  void fill() {
    for (int i = 1; i <= 3; i++) {
      push("shop.orders", "p", String.valueOf(i), "t" + i);
    }
    Answer popped = pop("shop.orders", "batch=2&consumerGroup=g");
    partition = popped.text("/partitionId");
    lease = popped.text("/leaseId");
  }

  private void ack(String transaction, String status) {
    Answer acked =
        post(
            "/api/v1/ack",
            ("{'transactionId':'%s','partitionId':'%s','leaseId':'%s','status':'%s',"
                    + "'consumerGroup':'g','error':'broken'}")
                .formatted(transaction, partition, lease, status));
    assertThat(acked.text("/0/success")).as(acked.body()).isEqualTo("true");
  }

  @Test
  void overview() {
    get("/api/v1/resources/overview")
        .is(
            200,
            "{'queues':1,'partitions':1,'namespaces':1,'tasks':1,'messages':"
                + COUNTS.formatted(3, 1, 2, 0, 0)
                + ",'lag':{'time':"
                + SPREAD
                + ",'offset':{'avg':3,'median':3,'min':3,'max':3}},'throughput':"
                + "{'ingestedPerSecond':'*','processedPerSecond':'*'},'timestamp':'*',"
                + "'statsAge':0}");
  }

  @Test
  void queues() {
    String queue =
        "{'id':'*','name':'shop.orders','namespace':'shop','task':'orders','createdAt':'*',"
            + "'partitions':1,'messages':{'total':3,'pending':1,'processing':2}}";
    get("/api/v1/resources/queues").is(200, "{'queues':[" + queue + "]}");
    get("/api/v1/status/queues?limit=5")
        .is(200, "{'queues':[" + queue + "],'pagination':{'limit':5,'offset':0,'total':1}}");
    String partitions =
        "[{'id':'*','name':'p','createdAt':'*','stats':"
            + COUNTS.formatted(3, 1, 2, 0, 0)
            + ",'oldestMessage':'*','newestMessage':'*'}]";
    get("/api/v1/resources/queues/shop.orders")
        .is(
            200,
            "{'id':'*','name':'shop.orders','namespace':'shop','task':'orders','createdAt':'*',"
                + "'partitions':"
                + partitions
                + ",'messages':{'total':3,'pending':1,'processing':2},'totals':"
                + COUNTS.formatted(3, 1, 2, 0, 0)
                + ",'options':'*','paused':{'push':null,'pop':false}}");
    get("/api/v1/status/queues/shop.orders")
        .is(
            200,
            "{'queue':{'id':'*','name':'shop.orders','namespace':'shop','task':'orders',"
                + "'createdAt':'*','messages':{'total':3,'pending':1,'processing':2},"
                + "'config':'*'},'partitions':"
                + partitions
                + ",'totals':"
                + COUNTS.formatted(3, 1, 2, 0, 0)
                + "}");
    get("/api/v1/resources/queues/none").is(404, "{'error':'*','code':'QUEUE_NOT_FOUND'}");
    get("/api/v1/status/queues/none").is(404, "{'error':'*','code':'QUEUE_NOT_FOUND'}");
  }

  @Test
  void depth() {
    ack("t1", "completed");
    get("/api/v1/resources/queues/shop.orders/depth?group=g")
        .is(
            200,
            "{'queue':'shop.orders','group':'g','pending':2,'partitionsPending':1,"
                + "'effectivePending':2,'partitions':[{'partition':'p','pending':2}]}");
    get("/api/v1/resources/queues/shop.orders/depth")
        .is(
            200,
            "{'queue':'shop.orders','group':'__QUEUE_MODE__','pending':3,'partitionsPending':1,"
                + "'effectivePending':3,'partitions':[{'partition':'p','pending':3}]}");
    assertThat(get("/api/v1/resources/queues/none/depth").status()).isEqualTo(404);
  }

  @Test
  void labels() {
    get("/api/v1/resources/namespaces")
        .is(
            200,
            "{'namespaces':[{'namespace':'shop','queues':1,'partitions':1,"
                + "'messages':{'total':3,'pending':1}}]}");
    get("/api/v1/resources/tasks")
        .is(
            200,
            "{'tasks':[{'task':'orders','queues':1,'partitions':1,"
                + "'messages':{'total':3,'pending':1}}]}");
  }

  @Test
  void messages() {
    String message =
        "{'id':'*','transactionId':'%s','partitionId':'*','queuePath':'shop.orders/p',"
            + "'queue':'shop.orders','partition':'p','namespace':'shop','task':'orders',"
            + "'status':'%s','queueStatus':null,'busStatus':{'consumedBy':%d,'totalGroups':1},"
            + "'traceId':null,'producerSub':null,'queuePriority':0,'createdAt':'*',"
            + "'leaseExpiresAt':%s";
    String mode = "'mode':{'hasQueueMode':false,'busGroupsCount':1,'type':'bus'}";
    ack("t1", "completed");
    String all = "from=2000-01-01T00:00:00Z";
    get("/api/v1/messages?" + all)
        .is(
            200,
            "{'messages':["
                + message.formatted("t3", "pending", 0, "null")
                + "},"
                + message.formatted("t2", "processing", 0, "'*'")
                + "},"
                + message.formatted("t1", "completed", 1, "null")
                + "}],"
                + mode
                + "}");
    get("/api/v1/messages?queue=shop.orders&partition=p&status=pending&" + all)
        .is(
            200,
            "{'messages':[" + message.formatted("t3", "pending", 0, "null") + "}]," + mode + "}");
    get("/api/v1/messages?ns=shop&task=orders&offset=1&limit=1&" + all)
        .is(
            200,
            "{'messages':[" + message.formatted("t2", "processing", 0, "'*'") + "}]," + mode + "}");
    get("/api/v1/messages?ns=other&" + all)
        .is(200, "{'messages':[],'mode':{'hasQueueMode':false,'busGroupsCount':0,'type':'none'}}");
    get("/api/v1/messages?from=2999-01-01T00:00:00Z").is(200, "{'messages':[]," + mode + "}");
    get("/api/v1/messages?queue=none")
        .is(200, "{'messages':[],'mode':{'hasQueueMode':false,'busGroupsCount':0,'type':'none'}}");
    get("/api/v1/messages?from=x").is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
    get("/api/v1/status/queues/shop.orders/messages?limit=1")
        .is(
            200,
            "{'messages':[" + message.formatted("t3", "pending", 0, "null") + "}]," + mode + "}");
    get("/api/v1/messages/" + partition + "/t2")
        .is(
            200,
            message.formatted("t2", "processing", 0, "'*'")
                + ",'payload':2,'isEncrypted':false,'errorMessage':null,'retryCount':0,"
                + "'queueConfig':{'leaseTime':300,'retryLimit':3,'retryDelay':1000,'ttl':3600,"
                + "'priority':0},"
                + mode
                + ",'consumerGroups':[{'name':'g','consumed':false,'leaseExpiresAt':'*'}]}");
    get("/api/v1/messages/" + partition + "/none").is(404, "{'error':'*','code':'NOT_FOUND'}");
    get("/api/v1/messages/x/none").is(404, "{'error':'*','code':'NOT_FOUND'}");
    delete("/api/v1/messages/" + partition + "/t3")
        .is(200, "{'success':true,'partitionId':'*','transactionId':'t3','message':'*'}");
    assertThat(delete("/api/v1/messages/" + partition + "/t3").status()).isEqualTo(404);
  }

  @Test
  void no_message_is_counted_twice() throws IOException {
    ack("t1", "completed");
    ack("t2", "dlq");
    JsonNode counts = MAPPER.readTree(COUNTS.formatted(3, 1, 0, 1, 1).replace('\'', '"'));
    JsonNode queue = get("/api/v1/resources/queues/shop.orders").json();
    assertThat(queue.at("/partitions/0/stats")).isEqualTo(counts);
    assertThat(queue.at("/totals")).isEqualTo(counts);
  }

  @Test
  void a_message_that_is_tried_again_shows_what_went_wrong() {
    ack("t1", "failed");
    Answer shown = get("/api/v1/messages/" + partition + "/t1");
    assertThat(shown.text("/errorMessage")).isEqualTo("broken");
    assertThat(shown.text("/retryCount")).isEqualTo("1");
    assertThat(get("/api/v1/messages/" + partition + "/t2").json().at("/errorMessage").isNull())
        .isTrue();
  }

  @Test
  void the_mode_of_messages_is_that_of_the_queues_asked_for() {
    push("shop.unread", "p", "1", "u1");
    push("shop.ignored", "p", "1", "u2");
    push("other.a", "p", "1", "u3");
    push("other.b", "p", "1", "u4");
    assertThat(get("/api/v1/messages?ns=shop").text("/mode/busGroupsCount")).isEqualTo("1");
    assertThat(get("/api/v1/messages?ns=other").text("/mode/type")).isEqualTo("none");
  }

  @Test
  void pages_neither_miss_nor_repeat_messages_of_one_instant() throws IOException {
    String items =
        IntStream.range(0, 10)
            .mapToObj(i -> "{'queue':'many','partition':'p','payload':%d}".formatted(i))
            .collect(Collectors.joining(","));
    post("/api/v1/push", "{'items':[" + items + "]}");
    Set<String> seen = new HashSet<>();
    String path = "/api/v1/messages?queue=many&limit=3&from=2000-01-01T00:00:00Z";
    String next = path;
    for (int page = 0; page < 4; page++) {
      JsonNode messages = MAPPER.readTree(get(next).body()).get("messages");
      messages.forEach(message -> assertThat(seen.add(message.get("id").asText())).isTrue());
      JsonNode last = messages.get(messages.size() - 1);
      next =
          path
              + "&afterCreatedAt="
              + last.get("createdAt").asText()
              + "&afterId="
              + last.get("id").asText();
    }

    assertThat(seen).hasSize(10);
    assertThat(MAPPER.readTree(get(next).body()).get("messages")).isEmpty();
  }

  @Test
  void times_beyond_what_stores_can_compare_are_refused() {
    for (String bad : List.of("-4800-01-01T00:00:00Z", "%2B1000000000-12-31T23:59:59Z")) {
      for (String query :
          List.of("from=", "to=", "afterId=" + UUID.randomUUID() + "&afterCreatedAt=")) {
        Answer refused = get("/api/v1/messages?queue=q&" + query + bad);
        assertThat(refused.status()).as(query + bad).isEqualTo(400);
        assertThat(refused.text("/error")).contains("must be an instant from");
      }
    }
  }

  @Test
  void exact_questions_are_about_times_and_pages_that_stores_can_compare() {
    for (String field : List.of("messages':{'created'", "letters':{'failed'")) {
      String verb = field.startsWith("m") ? "messages" : "deadLetters";
      String page = "{'" + field + ":{%s},'queue':'shop.orders','after':%s,'limit':5}}";
      String id = UUID.randomUUID().toString();
      for (String body :
          List.of(
              page.formatted("'from':'+1000000000-12-31T23:59:59Z'", "null"),
              page.formatted("'to':'-4800-01-01T00:00:00Z'", "null"),
              page.formatted("", "{}"),
              page.formatted("", "{'at':'2026-01-01T00:00:00Z'}"),
              page.formatted("", "{'id':'" + id + "'}"))) {
        post("/v1/streams." + verb, body).is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
      }
      String fine = page.formatted("", "{'at':'2026-01-01T00:00:00Z','id':'" + id + "'}");
      assertThat(post("/v1/streams." + verb, fine).status()).isEqualTo(200);
    }
  }

  @Test
  void a_note_without_data_is_refused() {
    String partition =
        streams.browser().partition("shop.orders", "p").orElseThrow().id().toString();
    post(
            "/v1/streams.record",
            "{'partitionId':'"
                + partition
                + "','transactionId':'t1','note':{'event':'e','data':null,'names':[]}}")
        .is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
  }

  @Test
  void messages_by_trace() {
    String trace = "0190b5a0-0000-7000-8000-000000000001";
    post("/api/v1/push", "{'items':[{'queue':'q','payload':7,'traceId':'" + trace + "'}]}");
    Answer found = get("/api/v1/messages/by-trace/" + trace);
    assertThat(found.text("/messages/0/payload")).isEqualTo("7");
    assertThat(found.text("/messages/0/traceId")).isEqualTo(trace);
    assertThat(get("/api/v1/messages/by-trace/x").status()).isEqualTo(400);
  }

  @Test
  void a_list_of_large_dead_letters_is_refused_and_a_shorter_one_is_not() {
    String large = '"' + "x".repeat(4_190_000) + '"';
    for (int i = 0; i < 17; i++) {
      streams.push(List.of(NewMessage.to("large", large)));
      streams.ack(streams.pop(PopRequest.of("large")).ackAll(Verdict.DEAD_LETTER));
    }
    Answer all = get("/api/v1/dlq?queue=large&limit=100");
    assertThat(all.status()).isEqualTo(400);
    assertThat(all.text("/error")).contains("limit is too large");
    Answer some = get("/api/v1/dlq?queue=large&limit=2&offset=10");
    assertThat(some.json().at("/messages")).hasSize(2);
    assertThat(some.text("/total")).isEqualTo("17");
  }

  @Test
  void dead_letters() {
    ack("t1", "dlq");
    Answer list = get("/api/v1/dlq?queue=shop.orders&consumerGroup=g&partition=p");
    list.is(
        200,
        "{'messages':[{'id':'*','transactionId':'t1','partitionId':'*','queue':'shop.orders',"
            + "'partition':'p','consumerGroup':'g','errorMessage':'broken','retryCount':0,"
            + "'data':1,'producerSub':null,'createdAt':'*','failedAt':'*','dlqId':'*',"
            + "'reason':'verdict'}],'total':1,'pagination':{'limit':100,'offset':0}}");
    get("/api/v1/dlq?queue=none&limit=5&offset=2")
        .is(200, "{'messages':[],'total':0,'pagination':{'limit':5,'offset':2}}");
    String id = list.text("/messages/0/dlqId");
    post("/api/v1/dlq/redrive", "{'ids':['" + id + "']}")
        .is(200, "{'results':[{'dlqId':'" + id + "','verdict':'moved','messageId':'*'}]}");
    post("/api/v1/dlq/redrive", "{'ids':['" + id + "']}")
        .is(200, "{'results':[{'dlqId':'" + id + "','verdict':'gone','messageId':null}]}");
    post("/api/v1/dlq/redrive", "{'queue':'shop.orders','consumerGroup':null,'limit':5}")
        .is(200, "{'results':[]}");
    post("/api/v1/dlq/redrive", "{}").is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
    ack("t2", "dlq");
    delete("/api/v1/dlq?queue=shop.orders").is(200, "{'success':true,'deleted':1}");
  }

  @Test
  void groups() {
    get("/api/v1/consumer-groups")
        .is(
            200,
            "[{'name':'g','topics':['shop.orders'],'queueName':'shop.orders','members':1,"
                + "'partitionsWithLag':1,'totalLag':3,'maxTimeLag':'*','state':'*',"
                + "'subscriptionMode':'all','subscriptionTimestamp':null,"
                + "'subscriptionCreatedAt':'*','lastSeenAt':'*'}]");
    get("/api/v1/consumer-groups/g")
        .is(
            200,
            "{'shop.orders':{'partitions':[{'partition':'p','workerId':'"
                + lease
                + "','lastConsumedAt':null,'totalConsumed':0,'offsetLag':3,"
                + "'timeLagSeconds':'*','leaseActive':true}]}}");
    get("/api/v1/consumer-groups/none").is(404, "{'error':'*','code':'GROUP_NOT_FOUND'}");
    get("/api/v1/consumer-groups/lagging?minLagSeconds=0")
        .is(
            200,
            "[{'consumer_group':'g','queue_name':'shop.orders','partition_name':'p',"
                + "'partition_id':'*','worker_id':'*','offset_lag':3,'time_lag_seconds':'*',"
                + "'lag_hours':'*','oldest_unconsumed_at':'*','last_consumed_at':null}]");
    get("/api/v1/consumer-groups/lagging?minLagSeconds=999999999999").is(200, "[]");
  }

  @Test
  void seek_and_subscription() {
    String seek = "/api/v1/consumer-groups/g/queues/shop.orders/seek";
    post(seek, "{'toEnd':true}")
        .is(
            200,
            "{'success':true,'consumerGroup':'g','queueName':'shop.orders','seekToEnd':true,"
                + "'targetTimestamp':null,'partitionsUpdated':1}");
    pop("shop.orders", "consumerGroup=g").isEmpty();
    post(seek, "{'timestamp':'2000-01-01T00:00:00.000Z'}")
        .is(
            200,
            "{'success':true,'consumerGroup':'g','queueName':'shop.orders','seekToEnd':false,"
                + "'targetTimestamp':'2000-01-01T00:00:00.000Z','partitionsUpdated':1}");
    post(seek, "{}").is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
    post(seek, "{'offset':'x'}").is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
    assertThat(post(seek, "{'toBegin':true}").status()).isEqualTo(200);
    String one = "/api/v1/consumer-groups/g/queues/shop.orders/partitions/p/seek";
    post(one, "{'offset':3}")
        .is(
            200,
            "{'success':true,'consumerGroup':'g','queueName':'shop.orders','seekToEnd':false,"
                + "'targetTimestamp':null,'partitionName':'p','updated':true,'cursorMovedTo':2}");
    assertThat(post(one, "{}").text("/cursorMovedTo")).isEqualTo("3");
    post("/api/v1/consumer-groups/none/queues/shop.orders/seek", "{'toEnd':true}")
        .is(404, "{'error':'*','code':'GROUP_NOT_FOUND'}");
    post(
            "/api/v1/consumer-groups/g/subscription",
            "{'subscriptionTimestamp':'2020-01-01T00:00:00Z'}")
        .is(
            200,
            "{'success':true,'consumerGroup':'g','newTimestamp':'2020-01-01T00:00:00.000Z',"
                + "'rowsUpdated':1}");
    post("/api/v1/consumer-groups/g/subscription", "{}")
        .is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
  }

  @Test
  void groups_are_forgotten() {
    delete("/api/v1/consumer-groups/g/queues/shop.orders?deleteMetadata=false")
        .is(
            200,
            "{'success':true,'consumerGroup':'g','deletedPartitions':1,"
                + "'metadataDeleted':false,'queueName':'shop.orders'}");
    delete("/api/v1/consumer-groups/g")
        .is(
            200,
            "{'success':true,'consumerGroup':'g','deletedPartitions':0,'metadataDeleted':true}");
    get("/api/v1/consumer-groups").is(200, "[]");
  }

  @Test
  void leases_and_what_is_stuck() {
    get("/api/v1/leases")
        .is(
            200,
            "{'leases':[{'queue':'shop.orders','partition':'p','consumerGroup':'g','leaseId':'"
                + lease
                + "','fence':'*','leaseStartedAt':'*','leaseExpiresAt':'*','messageCount':2,"
                + "'secondsRemaining':'*'}]}");
    get("/api/v1/partitions/utilization")
        .is(
            200,
            "{'queues':[{'queue':'shop.orders','totalPartitions':1,'leasedPartitions':1,"
                + "'utilizationPct':100.0}]}");
    get("/api/v1/partitions/stuck").is(200, "{'partitions':[]}");
    get("/api/v1/explain?queue=shop.orders&partition=p&consumerGroup=g")
        .is(
            200,
            "{'queue':'shop.orders','partition':'p','consumerGroup':'g','state':'leased',"
                + "'pending':3,'until':'*','detail':'*'}");
    get("/api/v1/explain").is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
    time.advance(Duration.ofSeconds(301));
    get("/api/v1/partitions/stuck?queue=shop.orders")
        .is(
            200,
            "{'partitions':[{'queue':'shop.orders','partition':'p','consumerGroup':'g',"
                + "'reason':'expired','leaseStartedAt':'*','readyAt':'*',"
                + "'leaseHeldSeconds':301,'attempt':1,'error':null}]}");
  }

  @Test
  void parking() {
    String path = "/api/v1/queues/shop.orders/partitions/p/";
    String done = "{'success':%s,'queue':'shop.orders','partition':'p','consumerGroup':'g'}";
    post(path + "park", "{'consumerGroup':'g','reason':'why'}").is(200, done.formatted("true"));
    pop("shop.orders", "consumerGroup=g").isEmpty();
    post(path + "unpark", "{'consumerGroup':'g','skipHead':true}").is(200, done.formatted("true"));
    post(path + "unpark", "{'consumerGroup':'g'}").is(200, done.formatted("false"));
    assertThat(pop("shop.orders", "consumerGroup=g").text("/messages/0/transactionId"))
        .isEqualTo("t2");
  }

  @Test
  void the_rest() {
    post("/api/v1/stats/refresh", "{}").is(200, "{}");
    get("/api/v1/status/buffers").is(200, "{'pending':0,'failed':0,'dbHealthy':true,'worker':'*'}");
    post("/api/v1/system/maintenance/pop", "{'enabled':true}")
        .is(200, "{'popMaintenanceMode':true,'message':'*'}");
    get("/api/v1/system/maintenance/pop").is(200, "{'popMaintenanceMode':true,'message':'*'}");
    post("/api/v1/system/maintenance/pop", "{'enabled':1}")
        .is(400, "{'error':'enabled must be true or false','code':'INVALID_ARGUMENT'}");
    get("/api/v1/system/maintenance")
        .is(
            200,
            "{'maintenanceMode':false,'bufferedMessages':0,'bufferHealthy':true,'message':'*',"
                + "'popMaintenanceMode':true,'bufferStats':{'pending':0,'failed':0}}");
  }

  @Test
  void maintenance_holds_pushes_and_lets_them_go() {
    String on =
        "{'maintenanceMode':%s,'bufferedMessages':%d,'bufferHealthy':true,'message':'*',"
            + "'popMaintenanceMode':false,'bufferStats':{'pending':%d,'failed':0}}";
    post("/api/v1/system/maintenance", "{'enabled':true}").is(200, on.formatted("true", 0, 0));
    push("held", "p", "1", "h1")
        .is(
            201,
            "[{'index':0,'status':'buffered','transactionId':'h1','trace_id':null,"
                + "'queue':'held','partition':'p'}]");
    get("/api/v1/system/maintenance").is(200, on.formatted("true", 1, 1));
    get("/api/v1/status/buffers").is(200, "{'pending':1,'failed':0,'dbHealthy':true,'worker':'*'}");
    pop("held", "").isEmpty();
    post("/api/v1/system/maintenance", "{'enabled':false}");
    assertThat(pop("held", "wait=true").text("/messages/0/transactionId")).isEqualTo("h1");
    post("/api/v1/queues/held/pause", "{'push':'hold'}")
        .is(200, "{'success':true,'queue':'held','push':'hold','pop':false}");
    assertThat(push("held", "p", "2", "h2").text("/0/status")).isEqualTo("buffered");
    post("/api/v1/system/maintenance", "{}").is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
  }

  @Test
  void a_pause_that_is_refused_pauses_nothing() {
    String path = "/api/v1/queues/shop.orders/pause";
    for (String body : List.of("{'push':'reject','pop':'x'}", "{'push':'x','pop':true}")) {
      post(path, body).is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
      post(path, "{}").is(200, "{'success':true,'queue':'shop.orders','push':null,'pop':false}");
    }
  }

  @Test
  void a_queue_is_paused() {
    String path = "/api/v1/queues/shop.orders/pause";
    post(path, "{'push':'reject','pop':true}")
        .is(200, "{'success':true,'queue':'shop.orders','push':'reject','pop':true}");
    Answer refused = push("shop.orders", "p", "1", "t9");
    refused.is(503, "{'error':'*','code':'PAUSED'}");
    assertThat(refused.header("Retry-After")).isEqualTo("1");
    post(path, "{'pop':false}")
        .is(200, "{'success':true,'queue':'shop.orders','push':'reject','pop':false}");
    post(path, "{'push':null}")
        .is(200, "{'success':true,'queue':'shop.orders','push':null,'pop':false}");
    post(path, "{'push':'x'}").is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
    post("/api/v1/queues/none/pause", "{'pop':true}")
        .is(404, "{'error':'*','code':'QUEUE_NOT_FOUND'}");
  }
}
