BEGIN TRANSACTION;
CREATE TABLE application_versions (
    version_id TEXT NOT NULL PRIMARY KEY,
    version_name TEXT NOT NULL UNIQUE,
    version_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    created_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
, "application_name" TEXT DEFAULT NULL);
INSERT INTO "application_versions" VALUES('496db8ab-2550-4d6f-95a2-1f8c963f1978','jobs-1',1795274513000,1795274513000,'rlbot');
CREATE TABLE dbos_migrations (version INTEGER NOT NULL PRIMARY KEY);
INSERT INTO "dbos_migrations" VALUES(125);
CREATE TABLE notifications (
    message_uuid TEXT NOT NULL DEFAULT (hex(randomblob(16))) PRIMARY KEY,
    destination_uuid TEXT NOT NULL,
    topic TEXT,
    message TEXT NOT NULL,
    created_at_epoch_ms INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000), "serialization" TEXT DEFAULT NULL, "consumed" BOOLEAN NOT NULL DEFAULT FALSE, consumed_by_function_id INTEGER,
    FOREIGN KEY (destination_uuid) REFERENCES workflow_status(workflow_uuid) 
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE "operation_outputs" (
    workflow_uuid TEXT NOT NULL,
    function_id INTEGER NOT NULL,
    function_name TEXT NOT NULL DEFAULT '',
    output TEXT,
    error TEXT,
    child_workflow_id TEXT,
    started_at_epoch_ms INTEGER,
    completed_at_epoch_ms INTEGER,
    serialization TEXT,
    application_name TEXT DEFAULT NULL,
    retention_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    PRIMARY KEY (workflow_uuid, function_id)
);
INSERT INTO "operation_outputs" VALUES('owner/repo#1:check:opened',1,'superseded','false',NULL,NULL,1795274515198,1795274515210,'portable_json','rlbot',1795274515000);
INSERT INTO "operation_outputs" VALUES('owner/repo#2:check:opened',1,'superseded','false',NULL,NULL,1795274515199,1795274515216,'portable_json','rlbot',1795274515000);
INSERT INTO "operation_outputs" VALUES('owner/repo#2:check:opened',2,'check',NULL,'{"name":"ValueError","message":"this job cannot be done","code":null}',NULL,1795274515219,1795274515220,'portable_json','rlbot',1795274515000);
INSERT INTO "operation_outputs" VALUES('owner/repo#1:check:opened',2,'check','{"report":{"verdict":"pass","head":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}',NULL,NULL,1795274515217,1795274515219,'portable_json','rlbot',1795274515000);
INSERT INTO "operation_outputs" VALUES('owner/repo#1:check:opened',3,'superseded','false',NULL,NULL,1795274515225,1795274515227,'portable_json','rlbot',1795274515000);
INSERT INTO "operation_outputs" VALUES('owner/repo#1:check:opened',4,'publish','{"outcome":"published"}',NULL,NULL,1795274515231,1795274515231,'portable_json','rlbot',1795274515000);
INSERT INTO "operation_outputs" VALUES('owner/repo#3:check:opened',1,'superseded','false',NULL,NULL,1795274515207,1795274515214,'portable_json','rlbot',1795274515000);
INSERT INTO "operation_outputs" VALUES('owner/repo#3:check:opened',2,'check','{"report":{"verdict":"pass","head":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}',NULL,NULL,1795274515255,1795274515258,'portable_json','rlbot',1795274515000);
INSERT INTO "operation_outputs" VALUES('owner/repo#3:check:opened',3,'superseded','false',NULL,NULL,1795274515264,1795274515265,'portable_json','rlbot',1795274515000);
CREATE TABLE queues (
    queue_id TEXT PRIMARY KEY DEFAULT (hex(randomblob(16))),
    name TEXT NOT NULL UNIQUE,
    concurrency INTEGER,
    worker_concurrency INTEGER,
    rate_limit_max INTEGER,
    rate_limit_period_sec REAL,
    priority_enabled BOOLEAN NOT NULL DEFAULT FALSE,
    partition_queue BOOLEAN NOT NULL DEFAULT FALSE,
    polling_interval_sec REAL NOT NULL DEFAULT 1.0,
    created_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    updated_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
, "application_name" TEXT DEFAULT NULL, "partition_concurrency" INTEGER DEFAULT NULL, "partition_worker_concurrency" INTEGER DEFAULT NULL, "partition_rate_limit_max" INTEGER DEFAULT NULL, "partition_rate_limit_period_sec" REAL DEFAULT NULL);
INSERT INTO "queues" VALUES('EE7A5B49F7B3FBCA89946AEEFB588BB9','pull-requests',NULL,8,NULL,NULL,1,1,0.2,1795274513000,1795274513967,'rlbot',1,NULL,NULL,NULL);
CREATE TABLE streams (
    workflow_uuid TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    "offset" INTEGER NOT NULL, function_id INTEGER NOT NULL DEFAULT 0, "serialization" TEXT DEFAULT NULL,
    PRIMARY KEY (workflow_uuid, key, "offset"),
    FOREIGN KEY (workflow_uuid) REFERENCES workflow_status(workflow_uuid) 
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE workflow_events (
    workflow_uuid TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL, "serialization" TEXT DEFAULT NULL,
    PRIMARY KEY (workflow_uuid, key),
    FOREIGN KEY (workflow_uuid) REFERENCES workflow_status(workflow_uuid) 
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE workflow_events_history (
    workflow_uuid TEXT NOT NULL,
    function_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL, "serialization" TEXT DEFAULT NULL,
    PRIMARY KEY (workflow_uuid, function_id, key),
    FOREIGN KEY (workflow_uuid) REFERENCES workflow_status(workflow_uuid)
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE workflow_input (
    workflow_uuid TEXT NOT NULL PRIMARY KEY,
    inputs TEXT,
    retention_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
);
INSERT INTO "workflow_input" VALUES('owner/repo#1:check:opened','{"namedArgs":{},"positionalArgs":[{"kind":"check","repository":"Owner/repo","number":1,"meaning":"opened","head":null,"installation":null,"delivery":"","detail":{}}]}',1795274514000);
INSERT INTO "workflow_input" VALUES('owner/repo#2:check:opened','{"namedArgs":{},"positionalArgs":[{"kind":"check","repository":"Owner/repo","number":2,"meaning":"opened","head":null,"installation":null,"delivery":"","detail":{"bad":1}}]}',1795274514000);
INSERT INTO "workflow_input" VALUES('owner/repo#3:check:opened','{"namedArgs":{},"positionalArgs":[{"kind":"check","repository":"Owner/repo","number":3,"meaning":"opened","head":null,"installation":null,"delivery":"","detail":{"block_in":"publish"}}]}',1795274514000);
INSERT INTO "workflow_input" VALUES('owner/repo#3:check:behind','{"namedArgs":{},"positionalArgs":[{"kind":"check","repository":"Owner/repo","number":3,"meaning":"behind","head":null,"installation":null,"delivery":"","detail":{}}]}',1795274515000);
INSERT INTO "workflow_input" VALUES('owner/repo#4:check:opened','{"namedArgs":{},"positionalArgs":[{"kind":"check","repository":"Owner/repo","number":4,"meaning":"opened","head":null,"installation":null,"delivery":"","detail":{}}]}',1795274515000);
CREATE TABLE workflow_output (
    workflow_uuid TEXT NOT NULL PRIMARY KEY,
    output TEXT,
    error TEXT,
    retention_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
);
INSERT INTO "workflow_output" VALUES('owner/repo#2:check:opened',NULL,'{"name":"ValueError","message":"this job cannot be done","code":null}',1795274515000);
INSERT INTO "workflow_output" VALUES('owner/repo#1:check:opened','{"outcome":"published"}',NULL,1795274515000);
CREATE TABLE workflow_schedules (
    schedule_id TEXT PRIMARY KEY,
    schedule_name TEXT NOT NULL UNIQUE,
    workflow_name TEXT NOT NULL,
    workflow_class_name TEXT,
    schedule TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'ACTIVE',
    context TEXT NOT NULL
, "last_fired_at" TEXT DEFAULT NULL, "automatic_backfill" BOOLEAN NOT NULL DEFAULT FALSE, "cron_timezone" TEXT DEFAULT NULL, "queue_name" TEXT DEFAULT NULL, "application_name" TEXT DEFAULT NULL);
CREATE TABLE workflow_status (
    workflow_uuid TEXT PRIMARY KEY,
    status TEXT,
    name TEXT,
    authenticated_user TEXT,
    assumed_role TEXT,
    authenticated_roles TEXT,
    request TEXT,
    output TEXT,
    error TEXT,
    executor_id TEXT,
    created_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    updated_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    application_version TEXT,
    application_id TEXT,
    class_name TEXT DEFAULT NULL,
    config_name TEXT DEFAULT NULL,
    recovery_attempts INTEGER DEFAULT 0,
    queue_name TEXT,
    workflow_timeout_ms INTEGER,
    workflow_deadline_epoch_ms INTEGER,
    inputs TEXT,
    started_at_epoch_ms INTEGER,
    deduplication_id TEXT,
    priority INTEGER NOT NULL DEFAULT 0
, queue_partition_key TEXT, forked_from TEXT, "owner_xid" TEXT DEFAULT NULL, "parent_workflow_id" TEXT DEFAULT NULL, "serialization" TEXT DEFAULT NULL, "delay_until_epoch_ms" BIGINT DEFAULT NULL, "was_forked_from" BOOLEAN NOT NULL DEFAULT FALSE, "rate_limited" BOOLEAN NOT NULL DEFAULT FALSE, "completed_at" BIGINT, "attributes" TEXT, "schedule_name" TEXT, "debounce_deadline_epoch_ms" BIGINT DEFAULT NULL, "is_debounced" BOOLEAN NOT NULL DEFAULT FALSE, "application_name" TEXT DEFAULT NULL, "creator_xid" TEXT DEFAULT NULL);
INSERT INTO "workflow_status" VALUES('owner/repo#1:check:opened','SUCCESS','pull_request_job',NULL,NULL,NULL,NULL,NULL,NULL,'gone',1795274514000,1795274515000,'jobs-1',NULL,NULL,NULL,1,'pull-requests',NULL,NULL,NULL,1795274515000,NULL,0,'owner/repo#1',NULL,NULL,NULL,'portable_json',NULL,0,0,1795274515000,'null',NULL,NULL,0,'rlbot','6f1d4a5c-5a42-453c-856a-575284260a65');
INSERT INTO "workflow_status" VALUES('owner/repo#2:check:opened','ERROR','pull_request_job',NULL,NULL,NULL,NULL,NULL,NULL,'gone',1795274514000,1795274515000,'jobs-1',NULL,NULL,NULL,1,'pull-requests',NULL,NULL,NULL,1795274515000,NULL,0,'owner/repo#2',NULL,NULL,NULL,'portable_json',NULL,0,0,1795274515000,'null',NULL,NULL,0,'rlbot','994b21f6-bfed-4b9b-887f-1ec6952f72b5');
INSERT INTO "workflow_status" VALUES('owner/repo#3:check:opened','PENDING','pull_request_job',NULL,NULL,NULL,NULL,NULL,NULL,'gone',1795274514000,1795274515000,'jobs-1',NULL,NULL,NULL,1,'pull-requests',NULL,NULL,NULL,1795274515000,NULL,0,'owner/repo#3',NULL,'d02e17f8-fd75-48b7-9ff3-9871592e6cdb',NULL,'portable_json',NULL,0,0,NULL,'null',NULL,NULL,0,'rlbot','d458b320-91fc-4d76-84d0-8dbfc981ebfd');
INSERT INTO "workflow_status" VALUES('owner/repo#3:check:behind','ENQUEUED','pull_request_job',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795274515000,1795274515000,'jobs-1',NULL,NULL,NULL,0,'pull-requests',NULL,NULL,NULL,NULL,NULL,0,'owner/repo#3',NULL,NULL,NULL,'portable_json',NULL,0,0,NULL,'null',NULL,NULL,0,'rlbot','2b763193-a9fc-479c-9ff1-92521c7ea386');
INSERT INTO "workflow_status" VALUES('owner/repo#4:check:opened','ENQUEUED','pull_request_job',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795274515000,1795274515000,'jobs-1',NULL,NULL,NULL,0,'pull-requests',NULL,NULL,NULL,NULL,NULL,0,'owner/repo#4',NULL,NULL,NULL,'portable_json',NULL,0,0,NULL,'null',NULL,NULL,0,'rlbot','a19225cf-1751-470d-a39d-bc6535928715');
CREATE INDEX workflow_status_created_at_index ON workflow_status (created_at);
CREATE INDEX idx_workflow_topic ON notifications (destination_uuid, topic);
CREATE INDEX "idx_workflow_status_delayed" ON "workflow_status" ("delay_until_epoch_ms") WHERE status = 'DELAYED';
CREATE INDEX "idx_workflow_status_forked_from" ON "workflow_status" ("forked_from") WHERE "forked_from" IS NOT NULL;
CREATE INDEX "idx_workflow_status_parent_workflow_id" ON "workflow_status" ("parent_workflow_id") WHERE "parent_workflow_id" IS NOT NULL;
CREATE UNIQUE INDEX "uq_workflow_status_dedup_id" ON "workflow_status" ("queue_name", "deduplication_id") WHERE "deduplication_id" IS NOT NULL;
CREATE INDEX "idx_workflow_status_pending" ON "workflow_status" ("created_at") WHERE "status" = 'PENDING';
CREATE INDEX "idx_workflow_status_failed" ON "workflow_status" ("status", "created_at") WHERE "status" IN ('ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED');
CREATE INDEX "idx_workflow_status_rate_limited" ON "workflow_status" ("queue_name", "started_at_epoch_ms") WHERE "rate_limited" = TRUE;
CREATE INDEX "idx_workflow_status_completed_at" ON "workflow_status" ("completed_at") WHERE "completed_at" IS NOT NULL;
CREATE INDEX "idx_workflow_status_started_at" ON "workflow_status" ("started_at_epoch_ms") WHERE "started_at_epoch_ms" IS NOT NULL;
CREATE INDEX "idx_workflow_status_schedule_name" ON "workflow_status" ("schedule_name") WHERE "schedule_name" IS NOT NULL;
CREATE UNIQUE INDEX "uq_application_versions_owner_version"
    ON application_versions ("application_name", "version_name")
    WHERE "application_name" IS NOT NULL;
CREATE UNIQUE INDEX "uq_application_versions_unclaimed_version"
    ON application_versions ("version_name")
    WHERE "application_name" IS NULL;
CREATE INDEX idx_workflow_input_retention
    ON workflow_input (retention_timestamp);
CREATE INDEX idx_workflow_output_retention
    ON workflow_output (retention_timestamp);
CREATE INDEX idx_operation_outputs_retention
    ON operation_outputs (retention_timestamp);
CREATE INDEX "idx_workflow_status_in_flight_v2" ON "workflow_status" ("queue_name", "status", "priority", "created_at", "application_name") WHERE "status" IN ('ENQUEUED', 'PENDING');
CREATE INDEX "idx_workflow_status_partition_dequeue_v3" ON "workflow_status" ("queue_name", "status", "queue_partition_key", "priority", "created_at", "workflow_uuid", "application_name") WHERE "status" IN ('ENQUEUED', 'PENDING') AND "queue_partition_key" IS NOT NULL;
CREATE INDEX "idx_operation_outputs_completed_at_function_name_v2" ON "operation_outputs" ("completed_at_epoch_ms", "function_name", "application_name");
CREATE INDEX "idx_workflow_status_deadline" ON "workflow_status" ("workflow_deadline_epoch_ms") WHERE "status" IN ('ENQUEUED', 'PENDING', 'DELAYED') AND "workflow_deadline_epoch_ms" IS NOT NULL;
CREATE INDEX "idx_application_versions_timestamp" ON "application_versions" ("version_timestamp" DESC);
CREATE INDEX "idx_application_versions_owner_timestamp" ON "application_versions" ("application_name", "version_timestamp" DESC);
COMMIT;
