package io.holdfast.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.stream.NewMessage;
import io.holdfast.stream.Payload;
import io.holdfast.stream.StreamService;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Configure, push and pop, as the wire has them. */
class StreamMessageWireTest extends StreamWire {
  private static final String OPTIONS =
      "{'leaseTime':60,'retryLimit':3,'retryDelay':1000,'maxSize':0,'ttl':3600,'priority':0,"
          + "'deadLetterQueue':false,'dlqAfterMaxRetries':false,'delayedProcessing':0,"
          + "'windowBuffer':0,'retentionSeconds':0,'completedRetentionSeconds':0,"
          + "'retentionEnabled':false,'encryptionEnabled':false,'maxWaitTimeSeconds':0,"
          + "'deliveryLimit':100,'onExhausted':'deadLetter','maxWaitAction':'discard',"
          + "'abandonedGroupSeconds':0,'dedupWindowSeconds':null,'unpartitioned':'default'}";

  @Test
  void configure_echoes_every_option() {
    post(
            "/api/v1/configure",
            "{'queue':'q','namespace':'n','task':null,'options':{'leaseTime':60,'unknown':1},'x':2}")
        .is(
            200,
            "{'configured':true,'queueId':'*','partitionId':'*','queue':'q','namespace':'n',"
                + "'task':'','options':"
                + OPTIONS
                + ",'createdAt':'*','paused':{'push':null,'pop':false}}");
    post("/api/v1/configure", "{'queue':'q','options':{'ttl':5,'deadLetterQueue':true}}");
    Answer merged = post("/api/v1/configure", "{'queue':'q','namespace':'','options':{}}");
    assertThat(merged.text("/namespace")).isEqualTo("n");
    assertThat(merged.text("/options/leaseTime")).isEqualTo("60");
    assertThat(merged.text("/options/ttl")).isEqualTo("5");
    assertThat(merged.text("/options/deadLetterQueue")).isEqualTo("true");
    Answer replaced = post("/api/v1/configure", "{'queue':'q','mode':'replace'}");
    assertThat(replaced.text("/options/leaseTime")).isEqualTo("300");
  }

  @Test
  void configure_refuses_what_it_cannot_read() {
    refused(post("/api/v1/configure", ""), "the body is missing");
    refused(post("/api/v1/configure", "{'queue':"), "the body is not JSON");
    refused(post("/api/v1/configure", "[]"), "the body has the wrong shape");
    refused(post("/api/v1/configure", "{}"), "queue is missing");
    refused(post("/api/v1/configure", "{'queue':5}"), "queue has the wrong type or shape");
    refused(
        post("/api/v1/configure", "{'queue':'q','options':{'leaseTime':'x'}}"),
        "option leaseTime must be a whole number from 1 to 86400");
    refused(
        post("/api/v1/configure", "{'queue':'q','options':{'retryLimit':-1}}"),
        "option retryLimit must be a whole number from 0 to 1000");
    refused(post("/api/v1/configure", "{'queue':'q','mode':'x'}"), "mode must be merge or replace");
    refused(
        post("/api/v1/configure", "{'queue':'" + "x".repeat(256) + "'}"),
        "queue must have 0 to 255 characters, not 256");
  }

  private static void refused(Answer answer, String text) {
    answer.is(400, "{'error':'" + text + "','code':'INVALID_ARGUMENT'}");
  }

  @Test
  void push_answers_201_and_an_array_in_order() {
    Answer pushed =
        post(
            "/api/v1/push",
            "{'items':[{'queue':'q','partition':'p','payload':{'a':1},'transactionId':'t1',"
                + "'traceId':'0190b5a0-0000-7000-8000-000000000001'},"
                + "{'queue':'q','payload':null,'transactionId':null,'traceId':'nonsense'},"
                + "{'queue':'q','partition':'p','payload':2,'transactionId':'t1'}]}");
    pushed.is(
        201,
        "[{'index':0,'status':'queued','transaction_id':'t1','transactionId':'t1',"
            + "'message_id':'*','partition_id':'*',"
            + "'trace_id':'0190b5a0-0000-7000-8000-000000000001','queueName':'q','offset':1},"
            + "{'index':1,'status':'queued','transaction_id':'*','transactionId':'*',"
            + "'message_id':'*','partition_id':'*','trace_id':null,'queueName':'q','offset':1},"
            + "{'index':2,'status':'duplicate','transaction_id':'t1','transactionId':'t1',"
            + "'message_id':'*','partition_id':'*','trace_id':null,'queueName':'q','offset':1}]");
    assertThat(pushed.text("/2/message_id")).isEqualTo(pushed.text("/0/message_id"));
    assertThat(pushed.text("/1/transactionId")).isEqualTo(pushed.text("/1/message_id"));
    post("/api/v1/push", "{'items':[]}").is(201, "[]");
  }

  @Test
  void push_refuses_the_whole_call() {
    refused(post("/api/v1/push", "{}"), "items is missing");
    refused(post("/api/v1/push", "{'items':[null]}"), "items[0].queue is missing");
    refused(
        post("/api/v1/push", "{'items':[{'queue':'q'},{'partition':'p'}]}"),
        "items[1].queue is missing");
    refused(
        post("/api/v1/push", "{'items':[{'queue':'q','transactionId':7}]}"),
        "items[0].transactionId has the wrong type or shape");
    refused(
        post("/api/v1/push", "{'items':[{'queue':'q','partition':{}}]}"),
        "items[0].partition has the wrong type or shape");
    refused(post("/api/v1/push", "{'items':[{'queue':'q','payload':}]}"), "the body is not JSON");
    pop("q", "").isEmpty();
    Answer large = push("q", "p", "'" + "x".repeat(5 << 20) + "'", "t");
    assertThat(large.status()).isEqualTo(413);
    assertThat(large.text("/code")).isEqualTo("PAYLOAD_TOO_LARGE");
  }

  @Test
  void a_full_queue_says_how_full_and_when_to_come_back() {
    post("/api/v1/configure", "{'queue':'q','options':{'maxSize':2}}");
    Answer first = push("q", "p", "1", "t1");
    assertThat(first.text("/0/queueDepth")).isEqualTo("1");
    assertThat(first.text("/0/remainingCapacity")).isEqualTo("1");

    Answer full = post("/api/v1/push", "{'items':[{'queue':'q'},{'queue':'q'}]}");

    full.is(
        429,
        "{'error':'*','code':'QUEUE_FULL','queue':'q','queueDepth':1,'maxSize':2,"
            + "'remainingCapacity':1}");
    assertThat(full.text("/error")).contains("is full");
    assertThat(full.header("Retry-After")).isEqualTo("1");
  }

  @Test
  void pop_answers_messages_with_their_lease() {
    push("q", "p", "{'a':[1,2.50]}", "t1");

    Answer popped = pop("q", "batch=10&consumerGroup=g&more=1");

    popped.is(
        200,
        "{'success':true,'queue':'q','partition':'p','partitionId':'*','leaseId':'*',"
            + "'consumerGroup':'g','partitionsClaimed':1,'messages':[{'id':'*',"
            + "'transactionId':'t1','traceId':null,'data':{'a':[1,2.50]},'producerSub':null,"
            + "'createdAt':'*','partitionId':'*','partition':'p','queue':'q','leaseId':'*',"
            + "'consumerGroup':'g','deliveryAttempt':1,'offset':1,'fence':'*',"
            + "'leaseExpiresAt':'*'}]}");
    assertThat(popped.text("/messages/0/createdAt"))
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z");
    assertThat(popped.body()).contains("\"data\":{\"a\":[1,2.50]}");
    pop("q", "consumerGroup=g").isEmpty();
    assertThat(pop("q", "").text("/consumerGroup")).isEqualTo("__QUEUE_MODE__");
  }

  @Test
  void payloads_come_back_byte_for_byte() {
    for (String payload :
        List.of("null", "1e400", "'ä€😀\\u0041'", "{ 'b' : 1,\n'a':[ ] , 'a':2 }", "-0.0")) {
      push("q", "p", payload, "");
      String sent = payload.replace('\'', '"');
      assertThat(pop("q", "autoAck=true").body()).contains("\"data\":" + sent + ",\"producerSub");
    }
  }

  @Test
  void a_payload_that_is_no_json_comes_as_text_and_in_base_64() {
    streams.push(List.of(NewMessage.to("q", "no \"JSON\"").in("p")));
    Answer text = pop("q", "autoAck=true");
    assertThat(text.text("/messages/0/data")).isEqualTo("no \"JSON\"");
    assertThat(text.text("/messages/0/dataBase64")).isEqualTo("bm8gIkpTT04i");
    streams.push(List.of(NewMessage.to("q", Payload.of(new byte[] {-1, 0})).in("p")));
    assertThat(pop("q", "autoAck=true").text("/messages/0/data")).isEqualTo("/wA=");
    post("/api/v1/push", "{'items':[{'queue':'q','payloadBase64':'/wA='}]}");
    assertThat(pop("q", "autoAck=1").text("/messages/0/dataBase64")).isEqualTo("/wA=");
  }

  @Test
  void auto_ack_has_no_lease() {
    push("q", "p", "1", "t1");
    Answer popped = pop("q", "autoAck=true");
    assertThat(popped.text("/leaseId")).isEmpty();
    assertThat(popped.text("/messages/0/leaseId")).isEmpty();
    assertThat(popped.json().at("/messages/0/fence").isNull()).isTrue();
    pop("q", "autoAck=true").isEmpty();
  }

  @Test
  void nothing_is_204_without_anything() {
    pop("unknown", "").isEmpty();
    get("/api/v1/pop/queue/unknown/partition/x").isEmpty();
    push("q", "p", "1", "t1");
    get("/api/v1/pop/queue/q/partition/other").isEmpty();
    post("/api/v1/system/maintenance/pop", "{'enabled':true}");
    pop("q", "").isEmpty();
    post("/api/v1/system/maintenance/pop", "{'enabled':false}");
    assertThat(pop("q", "").status()).isEqualTo(200);
  }

  @Test
  void numbers_are_taken_leniently() {
    for (int i = 1; i <= 3; i++) {
      push("q", "p" + i, String.valueOf(i), "t" + i);
    }
    assertThat(
            pop("q", "batch=x&partitions=-4&leaseSeconds=0&consumerGroup=").json().at("/messages"))
        .hasSize(1);
    Answer all = pop("q", "batch=999999999&partitions=99999999&consumerGroup=g&timeout=-1&wait=0");
    assertThat(all.text("/partitionsClaimed")).isEqualTo("3");
    assertThat(all.text("/messages/2/leaseId")).isEqualTo(all.text("/leaseId"));
  }

  @Test
  void names_are_decoded_once_and_may_be_anything() {
    push("a/b +%41", "ä", "1", "t1");
    assertThat(get("/api/v1/pop/queue/a%2Fb%20+%2541/partition/%C3%A4").text("/queue"))
        .isEqualTo("a/b +%41");
    push("", "p", "1", "t1");
    assertThat(get("/api/v1/pop/queue/").status()).isEqualTo(200);
  }

  @Test
  void labels_find_queues() {
    get("/api/v1/pop").is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
    get("/api/v1/pop?namespace=&task=").is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
    push("shop.orders.x", "p", "1", "t1");
    assertThat(get("/api/v1/pop?namespace=shop&task=orders").text("/queue"))
        .isEqualTo("shop.orders.x");
    get("/api/v1/pop?namespace=other").isEmpty();
  }

  @Test
  void new_groups_start_where_they_ask_to() {
    push("q", "p", "1", "t1");
    pop("q", "consumerGroup=a&subscriptionMode=new").isEmpty();
    pop("q", "consumerGroup=b&subscriptionMode=new-only").isEmpty();
    pop("q", "consumerGroup=c&subscriptionMode=all&subscriptionFrom=now").isEmpty();
    pop("q", "consumerGroup=d&subscriptionFrom=2999-01-01T00:00:00Z").isEmpty();
    assertThat(pop("q", "consumerGroup=e&subscriptionFrom=1999-01-01T00:00:00.000Z").status())
        .isEqualTo(200);
    assertThat(pop("q", "consumerGroup=f&subscriptionMode=other").status()).isEqualTo(200);
    refused(pop("q", "subscriptionFrom=x"), "subscriptionFrom is not an ISO instant");
  }

  @Test
  void a_pop_waits_for_a_push_or_its_time() throws Exception {
    CompletableFuture<Answer> waiting =
        sendAsync("GET", "/api/v1/pop/queue/q?wait=true&timeout=5000", null);
    awaitWaiting(1);
    push("q", "p", "1", "t1");
    assertThat(waiting.get(20, TimeUnit.SECONDS).text("/messages/0/data")).isEqualTo("1");

    CompletableFuture<Answer> late =
        sendAsync("GET", "/api/v1/pop/queue/q?wait=true&timeout=5000", null);
    awaitWaiting(1);
    time.advance(java.time.Duration.ofMillis(5001));
    late.get(20, TimeUnit.SECONDS).isEmpty();
  }

  private void awaitWaiting(int count) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (((StreamService) streams).waiting() != count) {
      assertThat(System.nanoTime()).isLessThan(until);
      LockSupport.parkNanos(100_000);
    }
  }

  @Test
  void who_leaves_gets_no_lease() throws Exception {
    try (Socket socket = new Socket("127.0.0.1", server.address().getPort())) {
      socket
          .getOutputStream()
          .write(
              "GET /api/v1/pop/queue/q?wait=true HTTP/1.1\r\nHost: localhost\r\n\r\n"
                  .getBytes(StandardCharsets.ISO_8859_1));
      awaitWaiting(1);
    }
    awaitWaiting(0);
    push("q", "p", "1", "t1");
    assertThat(pop("q", "").text("/messages/0/deliveryAttempt")).isEqualTo("1");
  }

  @Test
  void queues_are_deleted_also_when_absent() {
    push("q", "p", "1", "t1");
    delete("/api/v1/resources/queues/q").is(200, "{'deleted':true,'queue':'q','existed':true}");
    delete("/api/v1/resources/queues/q").is(200, "{'deleted':true,'queue':'q','existed':false}");
  }

  @Test
  void what_is_not_there_is_said_in_the_dialect_of_the_wire() {
    get("/api/v1/nowhere").is(404, "{'error':'*','code':'no_such_route'}");
    get("/api/v1/push").is(405, "{'error':'*','code':'wrong_method'}");
    get("/api/v1/migration/validate").is(404, "{'error':'*','code':'no_such_route'}");
    for (String path :
        List.of(
            "/api/v1/status",
            "/api/v1/status/analytics",
            "/api/v1/analytics/system",
            "/streams/v1/queries",
            "/api/v1/system/shared-state",
            "/internal/x",
            "/api/v1/resources/partitions",
            "/api/v1/kv/x")) {
      get(path).is(501, "{'error':'*','code':'not_implemented'}");
    }
    post("/api/v1/queues/q/clear", "{}").is(501, "{'error':'*','code':'not_implemented'}");
    post("/api/v1/messages/p/t/retry", "{}").is(501, "{'error':'*','code':'not_implemented'}");
    assertThat(send("OPTIONS", "/api/v1/push", null).status()).isEqualTo(204);
    assertThat(send("HEAD", "/api/v1/pop/queue/q", null).status()).isEqualTo(405);
  }
}
