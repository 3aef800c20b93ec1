-- One statement per index. A job is in one of the first six at a time, or in gate and due.
CREATE INDEX th_jobs_hf_ready_idx ON {jobs} (queue, COALESCE(rank_at, created_at), id)
 WHERE status = 'ready' AND run_at IS NULL;

CREATE INDEX th_jobs_hf_due_idx ON {jobs} (queue, run_at, id)
 WHERE status = 'ready' AND run_at IS NOT NULL;

CREATE INDEX th_jobs_hf_lease_idx ON {jobs} (queue, lease_expires_at, id)
 WHERE status = 'inflight';

CREATE INDEX th_jobs_hf_done_idx ON {jobs} (queue, finished_at, id)
 WHERE status = 'done';

CREATE INDEX th_jobs_hf_dlq_idx ON {jobs} (queue, dlq_failed_at, id)
 WHERE status = 'dlq';

CREATE INDEX th_jobs_hf_gate_idx ON {jobs} (queue, limit_key, gate_at, id)
 WHERE gate_at IS NOT NULL;

CREATE INDEX th_jobs_hf_trace_idx ON {jobs} (trace_id)
 WHERE trace_id IS NOT NULL;

CREATE INDEX th_jobs_hf_held_idx ON {jobs} (queue, limit_key)
 WHERE limit_key IS NOT NULL AND gate_at IS NULL AND status IN ('ready', 'inflight');
