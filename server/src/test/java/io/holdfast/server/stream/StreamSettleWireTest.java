package io.holdfast.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Ack, extend, release, transaction and traces, as the wire has them. */
class StreamSettleWireTest extends StreamWire {
  private static final String ACKED =
      "{'index':%d,'transactionId':'%s','success':true,'error':null,'noop':%s,'queueName':'q',"
          + "'partitionName':'p','leaseReleased':%s,'dlq':%s}";
  private static final String REFUSED =
      "{'index':%d,'transactionId':'%s','success':false,'error':'%s','noop':false,"
          + "'queueName':'q','partitionName':'p','leaseReleased':%s,'dlq':false,'code':'%s'}";
  private static final String LOST = "Invalid or expired lease";

  private String partition;
  private String lease;

  /** Pushes t1 to t3 and takes them. */
  private void take() {
    for (int i = 1; i <= 3; i++) {
      push("q", "p", String.valueOf(i), "t" + i);
    }
    again();
  }

  private void again() {
    Answer popped = pop("q", "batch=10");
    partition = popped.text("/partitionId");
    lease = popped.text("/leaseId");
  }

  private String ack(String transaction, String status) {
    return "{'transactionId':'%s','partitionId':'%s','status':'%s','leaseId':'%s','error':null}"
        .formatted(transaction, partition, status, lease);
  }

  private Answer batch(String... acks) {
    return post(
        "/api/v1/ack/batch",
        "{'consumerGroup':null,'acknowledgments':[" + String.join(",", acks) + "]}");
  }

  @Test
  void an_ack_is_answered_with_an_array_of_one() {
    take();
    post("/api/v1/ack", ack("t1", "completed"))
        .is(200, "[" + ACKED.formatted(0, "t1", false, false, false) + "]");
    post("/api/v1/ack", ack("t1", "success"))
        .is(200, "[" + ACKED.formatted(0, "t1", true, false, false) + "]");
    post("/api/v1/ack", ack("t1", "failed"))
        .is(
            200,
            "["
                + REFUSED.formatted(
                    0, "t1", "The message is already committed", false, "ALREADY_COMMITTED")
                + "]");
  }

  @Test
  void a_batch_is_answered_in_order() {
    take();
    batch(ack("t1", "completed"), ack("t2", "dlq"), ack("t3", "completed"))
        .is(
            200,
            "["
                + ACKED.formatted(0, "t1", false, true, false)
                + ","
                + ACKED.formatted(1, "t2", false, true, true)
                + ","
                + ACKED.formatted(2, "t3", false, true, false)
                + "]");
    batch().is(200, "[]");
  }

  @Test
  void refused_verdicts_do_not_undo_others() {
    take();
    batch(
            ack("t2", "failed"),
            ack("t3", "completed"),
            ack("t1", "completed"),
            ack("x", "completed"))
        .is(
            200,
            "["
                + ACKED.formatted(0, "t2", false, true, false)
                + ","
                + REFUSED.formatted(
                    1,
                    "t3",
                    "The message was rewound: it follows a failure and comes again",
                    true,
                    "REWOUND")
                + ","
                + ACKED.formatted(2, "t1", false, true, false)
                + ","
                + REFUSED.formatted(
                    3,
                    "x",
                    "The message is unresolvable: it is not in the batch",
                    true,
                    "UNRESOLVABLE")
                + "]");
  }

  @Test
  void unknown_status_refuses_that_item() {
    take();
    batch(ack("t1", "nonsense"), ack("t1", ""))
        .is(
            200,
            "["
                + "{'index':0,'transactionId':'t1','success':false,'error':'*','noop':false,"
                + "'queueName':'q','partitionName':'p','leaseReleased':false,'dlq':false,"
                + "'code':'INVALID_ARGUMENT'},"
                + ACKED.formatted(1, "t1", false, false, false)
                + "]");
  }

  @Test
  void missing_ids_are_refused() {
    post("/api/v1/ack", "{'partitionId':'x'}")
        .is(400, "{'error':'the body.transactionId is missing','code':'INVALID_ARGUMENT'}");
    batch("{'transactionId':'t','partitionId':''}")
        .is(400, "{'error':'acknowledgments[0].partitionId is missing','code':'INVALID_ARGUMENT'}");
    post("/api/v1/ack/batch", "{}")
        .is(400, "{'error':'acknowledgments is missing','code':'INVALID_ARGUMENT'}");
    post("/api/v1/ack", "{'transactionId':'t','partitionId':'p','leaseId':'l'}")
        .is(
            200,
            "[{'index':0,'transactionId':'t','success':false,'error':'"
                + LOST
                + "','noop':false,'queueName':null,'partitionName':null,'leaseReleased':false,"
                + "'dlq':false,'code':'LEASE_LOST'}]");
  }

  @Test
  void without_a_lease_an_ack_counts_only_while_nobody_has_the_partition() {
    take();
    String bare = "{'transactionId':'t1','partitionId':'%s'}".formatted(partition);
    post("/api/v1/ack", bare)
        .is(200, "[" + REFUSED.formatted(0, "t1", LOST, false, "LEASE_LOST") + "]");
    time.advance(Duration.ofSeconds(301));
    post("/api/v1/ack", bare).is(200, "[" + ACKED.formatted(0, "t1", false, false, false) + "]");
    lease = "00000001-0000-8000-8000-000000000000";
    post("/api/v1/ack", ack("t2", "completed"))
        .is(200, "[" + REFUSED.formatted(0, "t2", LOST, false, "LEASE_LOST") + "]");
  }

  @Test
  void a_cumulative_ack_completes_what_came_before() {
    take();
    String last = ack("t3", "completed");
    post("/api/v1/ack", last.replace("'error'", "'ackMode':'cumulative','error'"))
        .is(200, "[" + ACKED.formatted(0, "t3", false, true, false) + "]");
    pop("q", "").isEmpty();
    post("/api/v1/ack", last.replace("'error'", "'ackMode':'x','error'"))
        .is(400, "{'error':'ackMode must be explicit or cumulative','code':'INVALID_ARGUMENT'}");
  }

  @Test
  void a_cumulative_ack_does_not_pass_a_nack() {
    take();
    post(
            "/api/v1/ack/batch",
            "{'ackMode':'cumulative','acknowledgments':["
                + ack("t2", "retry")
                + ","
                + ack("t3", "completed")
                + "]}")
        .is(
            200,
            "["
                + ACKED.formatted(0, "t2", false, true, false)
                + ","
                + REFUSED.formatted(
                    1,
                    "t3",
                    "The message was rewound: it follows a failure and comes again",
                    true,
                    "REWOUND")
                + "]");
    assertThat(pop("q", "").text("/messages/0/transactionId")).isEqualTo("t2");
  }

  @Test
  void an_explicit_ack_leaves_a_gap() {
    take();
    batch(ack("t3", "completed"))
        .is(200, "[" + ACKED.formatted(0, "t3", false, false, false) + "]");
    time.advance(Duration.ofSeconds(301));
    assertThat(pop("q", "batch=9").json().at("/messages")).hasSize(2);
  }

  @Test
  void a_lease_is_extended_by_a_minute() {
    take();
    Answer extended = post("/api/v1/lease/" + lease + "/extend", "{'seconds':600}");
    extended.is(
        200,
        "{'leaseId':'"
            + lease
            + "','success':true,'renewed':true,'newExpiresAt':'*','expiresAt':'*',"
            + "'lease_expires_at':'*','error':null,'partitions':1}");
    assertThat(extended.text("/newExpiresAt"))
        .isEqualTo(
            java.time.Instant.ofEpochMilli(time.nowMs() + 600_000)
                .toString()
                .replaceAll(":(\\d\\d)Z", ":$1.000Z"));
    assertThat(post("/api/v1/lease/" + lease + "/extend", "{}").text("/success")).isEqualTo("true");
    post("/api/v1/lease/unknown/extend", "{}")
        .is(
            200,
            "{'leaseId':'unknown','success':false,'renewed':false,'newExpiresAt':null,"
                + "'expiresAt':null,'lease_expires_at':null,'error':'"
                + LOST
                + "','partitions':0}");
  }

  @Test
  void a_lease_is_given_back() {
    take();
    post("/api/v1/lease/" + lease + "/release", "{'partitionId':'" + partition + "'}")
        .is(200, "{'leaseId':'" + lease + "','success':true,'partitions':1,'error':null}");
    post("/api/v1/lease/" + lease + "/release", "{}")
        .is(
            200,
            "{'leaseId':'" + lease + "','success':false,'partitions':0,'error':'" + LOST + "'}");
    assertThat(pop("q", "").text("/messages/0/deliveryAttempt")).isEqualTo("1");
  }

  @Test
  void ack_and_pop_ride_together() {
    take();
    push("q", "p", "4", "t4");
    Answer both =
        post(
            "/api/v1/ack-pop",
            "{'ack':{'acknowledgments':["
                + String.join(",", ack("t1", ""), ack("t2", ""), ack("t3", ""))
                + "]},'pop':{'queue':'q','batch':5,'wait':false}}");
    assertThat(both.status()).isEqualTo(200);
    assertThat(both.json().at("/ack")).hasSize(3);
    assertThat(both.text("/pop/messages/0/transactionId")).isEqualTo("t4");
    assertThat(both.text("/pop/success")).isEqualTo("true");
    Answer none = post("/api/v1/ack-pop", "{'ack':{'acknowledgments':[]},'pop':{'queue':'q'}}");
    none.is(200, "{'ack':[],'pop':null}");
  }

  @Test
  void a_transaction_commits_acks_and_pushes() {
    take();
    Answer done =
        post(
            "/api/v1/transaction",
            "{'operations':[{'type':'ack','transactionId':'t1','partitionId':'"
                + partition
                + "','status':'completed','consumerGroup':null},{'type':'push','items':["
                + "{'queue':'r','payload':{'x':1},'transactionId':'r1'},"
                + "{'queue':'r','payload':2,'transactionId':'r1'}]}],'requiredLeases':['"
                + lease
                + "']}");
    assertThat(done.status()).isEqualTo(200);
    assertThat(done.text("/success")).isEqualTo("true");
    assertThat(done.json().at("/error").isNull()).isTrue();
    assertThat(done.json().at("/results")).hasSize(3);
    assertThat(done.text("/results/0/type")).isEqualTo("ack");
    assertThat(done.text("/results/0/success")).isEqualTo("true");
    assertThat(done.json().at("/results/0/error").isNull()).isTrue();
    assertThat(done.text("/results/1/queueName")).isEqualTo("r");
    assertThat(done.text("/results/1/duplicate")).isEqualTo("false");
    assertThat(done.text("/results/2/duplicate")).isEqualTo("true");
    assertThat(done.text("/results/2/messageId")).isEqualTo(done.text("/results/1/messageId"));
    assertThat(pop("r", "").text("/messages/0/transactionId")).isEqualTo("r1");
  }

  @Test
  void a_refused_ack_undoes_the_transaction() {
    take();
    Answer undone =
        post(
            "/api/v1/transaction",
            "{'operations':[{'type':'push','items':[{'queue':'r','payload':1}]},"
                + "{'type':'ack','transactionId':'t1','partitionId':'"
                + partition
                + "'}]}");
    undone.is(
        200,
        "{'transactionId':'*','success':false,'error':'"
            + LOST
            + "','results':[{'index':0,'type':'push','success':false,'transactionId':null,"
            + "'messageId':null,'partitionId':null,'queueName':'r','duplicate':false,'dlq':false,"
            + "'error':'the transaction was not committed'},{'index':1,'type':'ack',"
            + "'success':false,'transactionId':'t1','messageId':null,'partitionId':'*',"
            + "'queueName':'q','duplicate':false,'dlq':false,'error':'"
            + LOST
            + "','code':'LEASE_LOST','noop':false,'leaseReleased':false}]}");
    pop("r", "").isEmpty();
    post("/api/v1/transaction", "{}").is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
    post("/api/v1/transaction", "{'operations':[]}")
        .is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
    post("/api/v1/transaction", "{'operations':[{'type':'x'}]}")
        .is(400, "{'error':'operations[0].type must be push or ack','code':'INVALID_ARGUMENT'}");
  }

  private Answer transact(String... acks) {
    return post(
        "/api/v1/transaction",
        "{'operations':[" + String.join(",", acks).replace("{'tr", "{'type':'ack','tr") + "]}");
  }

  @Test
  void acks_of_an_undone_transaction_are_not_said_to_be_done() {
    take();
    String undone = "the transaction was not committed";

    Answer unknown = transact(ack("t1", "completed"), ack("none", "completed"));
    assertThat(unknown.text("/success")).isEqualTo("false");
    assertThat(unknown.text("/error")).contains("unresolvable");
    assertThat(unknown.text("/results/0/success")).isEqualTo("false");
    assertThat(unknown.text("/results/0/error")).isEqualTo(undone);
    assertThat(unknown.text("/results/0/leaseReleased")).isEqualTo("false");
    assertThat(unknown.text("/results/1/code")).isEqualTo("UNRESOLVABLE");

    Answer unreadable = transact(ack("t1", "completed"), ack("t2", "bogus"));
    assertThat(unreadable.text("/error")).isEqualTo(unreadable.text("/results/1/error"));
    assertThat(unreadable.text("/results/0/error")).isEqualTo(undone);
    assertThat(unreadable.text("/results/1/code")).isEqualTo("INVALID_ARGUMENT");
    assertThat(unreadable.text("/results/1/queueName")).isEqualTo("q");
    batch(ack("t1", "completed"))
        .is(200, "[" + ACKED.formatted(0, "t1", false, false, false) + "]");
  }

  @Test
  void traces_are_recorded_and_found() {
    take();
    String note =
        "{'transactionId':'t1','partitionId':'%s','data':{'a':1},'traceNames':%s}"
            .formatted(partition, "['one','two']");
    post("/api/v1/traces", note).is(201, "{'success':true,'traceId':'*'}");
    time.advance(Duration.ofMillis(1));
    post(
            "/api/v1/traces",
            note.replace("['one','two']", "'one'").replace("'data'", "'eventType':'error','data'"))
        .is(201, "{'success':true,'traceId':'*'}");
    get("/api/v1/traces/" + partition + "/t1")
        .is(
            200,
            "{'traces':[{'id':'*','event_type':'info','data':{'a':1},'consumer_group':null,"
                + "'worker_id':null,'created_at':'*','trace_names':['one','two']},"
                + "{'id':'*','event_type':'error','data':{'a':1},'consumer_group':null,"
                + "'worker_id':null,'created_at':'*','trace_names':['one']}]}");
    get("/api/v1/traces/by-name/two")
        .is(
            200,
            "{'traces':[{'id':'*','event_type':'info','data':{'a':1},'consumer_group':null,"
                + "'worker_id':null,'created_at':'*','trace_names':['one','two'],"
                + "'transaction_id':'t1','partition_id':'*','queue_name':'q',"
                + "'partition_name':'p','message_payload':1}],'total':1,"
                + "'pagination':{'limit':100,'offset':0}}");
    get("/api/v1/traces/names")
        .is(
            200,
            "{'trace_names':[{'trace_name':'one','trace_count':2,'message_count':1,"
                + "'last_seen':'*'},{'trace_name':'two','trace_count':1,'message_count':1,"
                + "'last_seen':'*'}],'total':2,'pagination':{'limit':50,'offset':0}}");
    post("/api/v1/traces", note.replace("'t1'", "'unknown'"))
        .is(500, "{'success':false,'error':'*'}");
    post("/api/v1/traces", note.replace("'data':{'a':1},", ""))
        .is(400, "{'error':'data is missing','code':'INVALID_ARGUMENT'}");
    post("/api/v1/traces", note.replace("['one','two']", "5"))
        .is(400, "{'error':'*','code':'INVALID_ARGUMENT'}");
  }
}
