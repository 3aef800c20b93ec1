// A peer that treats the lock tables as SyncGuard's PostgreSQL backend does, races included. Written from
// our specification alone (sections 3.1 and 9, and the statement sequence in its amendments), so that
// tests can set Holdfast against it.
//
//   node peer.mjs postgres://user:pw@host:port/db [--tables=locks,fences] [--max=16]
//
// One JSON command per line on stdin, one JSON answer per line on stdout. Commands overlap: an answer
// carries the `id` of its command and comes when that command is done.
//
//   {id, cmd:"setup"}
//   {id, cmd:"acquire", key, ttlMs, pause?}   → {ok, lockId, fence, expiresAtMs, acquiredAtMs} | {ok:false, reason:"locked"}
//   {id, cmd:"extend", lockId, ttlMs, pause?} → {ok, expiresAtMs} | {ok:false, reason:"not-found" | "expired"}
//   {id, cmd:"release", lockId, pause?}       → {ok} | {ok:false, reason:"not-found" | "expired"}
//   {id, cmd:"isLocked", key}                 → {ok, locked}
//   {id, cmd:"lookup", key | lockId}          → {ok, keyHash, lockIdHash, expiresAtMs, acquiredAtMs, fence} | {ok:false, reason:"not-found"}
//   {id, cmd:"hash", text}                    → {ok, hash}
//   {id, cmd:"resume", point, target?}        → {ok, resumed}   target: id of one paused command, otherwise all at that point
//   {id, cmd:"increment", key, table, times, ttlMs, row?, withinMs?} → {ok, fences, refused, lost}
//   {id, cmd:"mixed", keys, seconds, seed, workers?} → {ok, counts, grants, errors, deadlocks}
//   {id, cmd:"exit"}                          → {ok}, then the process ends, as it does when stdin ends
//
// `pause` names a point in the transaction: "after-begin", "after-lock" (acquire only), "after-read" or
// "before-commit". On reaching it the peer writes {event:"paused", id, point} and waits for `resume`.
// A failed command answers {ok:false, reason:"error", code, message}; code is the SQLSTATE, where there is one.
// Losing the server in the middle of a statement may end the process: the driver does not survive it.

import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'

const TOLERANCE_MS = 1000
const MAX_FENCE = 900_000_000_000_000
const MAX_KEY_BYTES = 512

const options = startOptions(process.argv.slice(2))
const sql = postgres(options.url, {
  max: options.max,
  fetch_types: false,
  onnotice: () => {},
  connection: { application_name: 'syncguard-peer' },
})
const locks = sql(options.locks)
const fences = sql(options.fences)

function startOptions([url, ...flags]) {
  const given = Object.fromEntries(flags.map((flag) => flag.replace(/^--/, '').split('=')))
  const { tables = 'syncguard_locks,syncguard_fence_counters', max = '16', ...unknown } = given
  const names = tables.split(',')
  const named = names.length === 2 && names.every((name) => /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name))
  if (!url || !named || !(Number(max) > 0) || Object.keys(unknown).length > 0) {
    process.stderr.write('usage: node peer.mjs postgres://user:pw@host:port/db [--tables=locks,fences] [--max=16]\n')
    process.exit(2)
  }
  return { url, locks: names[0], fences: names[1], max: Number(max) }
}

// ---- values ----

function keyOf(text) {
  if (typeof text !== 'string' || text === '') throw new Error('key must be a non-empty string')
  const key = text.normalize('NFC')
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) throw new Error(`key has more than ${MAX_KEY_BYTES} bytes`)
  return key
}

function ttlOf(ttlMs) {
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1) throw new Error('ttlMs must be a positive integer')
  return ttlMs
}

const isLive = (expiresAtMs, nowMs) => expiresAtMs > nowMs - TOLERANCE_MS
const newLockId = () => randomBytes(16).toString('base64url')
const fenceText = (fence) => String(fence).padStart(15, '0')

function displayHash(text) {
  const normal = text.normalize('NFC')
  let [h1, h2, h3] = [0, 0, 0]
  for (let i = 0; i < normal.length; i++) {
    const unit = normal.charCodeAt(i)
    h1 = (Math.imul(h1, 31) + unit) | 0
    h2 = (Math.imul(h2, 127) + 3 * unit) | 0
    h3 = (Math.imul(h3, 2047) + 7 * unit) | 0
  }
  return [h1, h2, h3].map((h) => (h >>> 0).toString(16).padStart(8, '0')).join('')
}

// ---- pause points ----

const POINTS = ['after-begin', 'after-lock', 'after-read', 'before-commit']
const paused = new Set()
let ending = false

async function reach(command, point) {
  if (command.pause !== point) return
  if (ending) throw new Error('the peer is ending')
  await new Promise((resolve, reject) => {
    paused.add({ command, point, resolve, reject })
    write({ event: 'paused', id: command.id, point })
  })
}

async function resume({ point, target }) {
  const chosen = [...paused].filter((p) => p.point === point && (target === undefined || p.command.id === target))
  for (const entry of chosen) {
    paused.delete(entry)
    entry.resolve()
  }
  return { ok: chosen.length > 0, resumed: chosen.length }
}

/** A paused command whose connection is gone stays where it is: going on, the driver would write to nowhere. */
function forget(command) {
  for (const entry of paused) if (entry.command === command) paused.delete(entry)
}

// ---- the backend: names are unquoted in setup and quoted everywhere else, as SyncGuard has it (9.1) ----

async function setup() {
  await sql.unsafe(`CREATE TABLE IF NOT EXISTS ${options.locks} (key text PRIMARY KEY, lock_id text NOT NULL,
    expires_at_ms bigint NOT NULL, acquired_at_ms bigint NOT NULL, fence text NOT NULL, user_key text NOT NULL)`)
  await sql.unsafe(`CREATE UNIQUE INDEX IF NOT EXISTS idx_${options.locks}_lock_id ON ${options.locks} (lock_id)`)
  await sql.unsafe(`CREATE INDEX IF NOT EXISTS idx_${options.locks}_expires ON ${options.locks} (expires_at_ms)`)
  await sql.unsafe(`CREATE TABLE IF NOT EXISTS ${options.fences} (fence_key text PRIMARY KEY,
    fence bigint NOT NULL DEFAULT 0, key_debug text)`)
  return { ok: true }
}

/** The transaction's start, not the present: a wait inside the transaction does not move it. */
async function nowMs(tx) {
  const [row] = await tx`SELECT floor(extract(epoch from now()) * 1000)::bigint AS now_ms`
  return Number(row.now_ms)
}

/** Thrown inside a transaction to roll it back and answer. */
class Refusal extends Error {
  constructor(reason) {
    super(reason)
    this.answer = { ok: false, reason }
  }
}

async function transaction(command, steps) {
  try {
    return await sql.begin(steps)
  } catch (problem) {
    forget(command)
    if (problem instanceof Refusal) return problem.answer
    throw problem
  }
}

async function acquire(command) {
  const key = keyOf(command.key)
  const ttlMs = ttlOf(command.ttlMs)
  return transaction(command, async (tx) => {
    await reach(command, 'after-begin')
    await tx`SELECT pg_advisory_xact_lock(hashtext(${key}))`
    await reach(command, 'after-lock')
    const now = await nowMs(tx)
    const [held] = await tx`SELECT expires_at_ms, lock_id FROM ${locks} WHERE key = ${key}`
    await reach(command, 'after-read')
    if (held && isLive(Number(held.expires_at_ms), now)) throw new Refusal('locked')
    const grant = { lockId: newLockId(), fence: await nextFence(tx, key), expiresAtMs: now + ttlMs, acquiredAtMs: now }
    await tx`
      INSERT INTO ${locks} (key, lock_id, expires_at_ms, acquired_at_ms, fence, user_key)
      VALUES (${key}, ${grant.lockId}, ${grant.expiresAtMs}, ${grant.acquiredAtMs}, ${grant.fence}, ${key})
      ON CONFLICT (key) DO UPDATE SET lock_id = EXCLUDED.lock_id, expires_at_ms = EXCLUDED.expires_at_ms,
        acquired_at_ms = EXCLUDED.acquired_at_ms, fence = EXCLUDED.fence, user_key = EXCLUDED.user_key`
    await reach(command, 'before-commit')
    return { ok: true, ...grant }
  })
}

async function nextFence(tx, key) {
  const fenceKey = `fence:${key}`
  await tx`INSERT INTO ${fences} (fence_key, fence, key_debug) VALUES (${fenceKey}, 0, ${key}) ON CONFLICT DO NOTHING`
  const [counter] = await tx`UPDATE ${fences} SET fence = fence + 1 WHERE fence_key = ${fenceKey} RETURNING fence`
  if (Number(counter.fence) > MAX_FENCE) throw new Error('fence exhausted')
  return fenceText(counter.fence)
}

/** What release and extend share: no advisory lock, only the row by its id, then `change` by its key. */
async function asHolder(command, change) {
  const { lockId } = command
  if (!/^[A-Za-z0-9_-]{22}$/.test(lockId)) throw new Error('malformed lockId')
  return transaction(command, async (tx) => {
    await reach(command, 'after-begin')
    const now = await nowMs(tx)
    const [held] = await tx`SELECT key, expires_at_ms FROM ${locks} WHERE lock_id = ${lockId} FOR UPDATE`
    await reach(command, 'after-read')
    if (!held) throw new Refusal('not-found')
    if (!isLive(Number(held.expires_at_ms), now)) throw new Refusal('expired')
    const answer = await change(tx, held.key, now)
    await reach(command, 'before-commit')
    return answer
  })
}

async function release(command) {
  return asHolder(command, async (tx, key) => {
    await tx`DELETE FROM ${locks} WHERE key = ${key}`
    return { ok: true }
  })
}

async function extend(command) {
  const ttlMs = ttlOf(command.ttlMs)
  return asHolder(command, async (tx, key, now) => {
    await tx`UPDATE ${locks} SET expires_at_ms = ${now + ttlMs} WHERE key = ${key}`
    return { ok: true, expiresAtMs: now + ttlMs }
  })
}

async function liveRow({ key, lockId }) {
  const [row] = await sql`
    SELECT key, lock_id, expires_at_ms, acquired_at_ms, fence, floor(extract(epoch from now()) * 1000)::bigint AS now_ms
      FROM ${locks} WHERE ${lockId === undefined ? sql`key = ${keyOf(key)}` : sql`lock_id = ${lockId}`}`
  return row && isLive(Number(row.expires_at_ms), Number(row.now_ms)) ? row : undefined
}

async function isLocked({ key }) {
  return { ok: true, locked: (await liveRow({ key })) !== undefined }
}

async function lookup(command) {
  const row = await liveRow(command)
  if (!row) return { ok: false, reason: 'not-found' }
  return {
    ok: true,
    keyHash: displayHash(row.key),
    lockIdHash: displayHash(row.lock_id),
    expiresAtMs: Number(row.expires_at_ms),
    acquiredAtMs: Number(row.acquired_at_ms),
    fence: row.fence,
  }
}

// ---- workloads ----

/** Adds one under the lock, `times` over, by a read and a write that only the lock holds together. */
async function increment({ key, table, times, ttlMs, row = 1, withinMs = 60_000 }) {
  const giveUpAt = Date.now() + withinMs
  const seen = { fences: [], refused: 0, lost: 0 }
  while (seen.fences.length < times) {
    if (ending || Date.now() > giveUpAt) throw new Error(`gave up after ${seen.fences.length} of ${times}`)
    const lease = await acquire({ key, ttlMs })
    if (!lease.ok) {
      seen.refused++
      await delay(1 + Math.random() * 5)
      continue
    }
    const [{ n }] = await sql`SELECT n FROM ${sql(table)} WHERE id = ${row}`
    await sql`UPDATE ${sql(table)} SET n = ${n + 1} WHERE id = ${row}`
    seen.fences.push(lease.fence)
    if (!(await release({ lockId: lease.lockId })).ok) seen.lost++
  }
  return { ok: true, ...seen }
}

/** Random acquire, extend and release on a few keys; errors are counted by SQLSTATE, never thrown. */
async function mixed({ keys, seconds, seed, workers = 4 }) {
  const tally = { counts: {}, grants: {}, errors: {} }
  const endAt = Date.now() + seconds * 1000
  const ids = new Map()
  const worker = async (random) => {
    while (!ending && Date.now() < endAt) {
      try {
        await mixedStep(keys, ids, random, tally)
      } catch (problem) {
        count(tally.errors, problem.code ?? problem.message)
      }
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, i) => worker(seeded(seed + i))))
  return { ok: true, ...tally, deadlocks: tally.errors['40P01'] ?? 0 }
}

/** The ids are shared by the workers and kept after a release, so that stale ones are used too. */
async function mixedStep(keys, ids, random, tally) {
  const key = keys[Math.floor(random() * keys.length)]
  const ttlMs = 1 + Math.floor(random() * 200)
  const lockId = ids.get(key)
  const dice = lockId === undefined ? 0 : random()
  if (dice < 0.4) {
    const lease = await acquire({ key, ttlMs })
    count(tally.counts, lease.ok ? 'acquired' : lease.reason)
    if (lease.ok) {
      ids.set(key, lease.lockId)
      count(tally.grants, key)
    }
  } else if (dice < 0.6) {
    const answer = await extend({ lockId, ttlMs })
    count(tally.counts, answer.ok ? 'extended' : answer.reason)
  } else {
    const answer = await release({ lockId })
    count(tally.counts, answer.ok ? 'released' : answer.reason)
  }
}

function count(into, name) {
  into[name] = (into[name] ?? 0) + 1
}

/** Mulberry32: a small generator of [0, 1), the same for the same seed. */
function seeded(seed) {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

// ---- lines in, lines out ----

const hash = async ({ text }) => ({ ok: true, hash: displayHash(text) })
const COMMANDS = { setup, acquire, release, extend, isLocked, lookup, hash, resume, increment, mixed }
const running = new Set()

function write(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

async function run(command) {
  const { id = null, cmd, pause } = command
  try {
    if (!Object.hasOwn(COMMANDS, cmd)) throw new Error(`unknown command ${cmd}`)
    if (pause !== undefined && !POINTS.includes(pause)) throw new Error(`unknown pause point ${pause}`)
    write({ id, ...(await COMMANDS[cmd](command)) })
  } catch (problem) {
    write({ id, ok: false, reason: 'error', code: problem.code ?? null, message: problem.message })
  }
}

/** Ends loops and paused transactions, lets the rest finish for a while, and goes. */
async function end() {
  ending = true
  for (const entry of paused) entry.reject(new Error('the peer is ending'))
  await Promise.race([Promise.allSettled(running), delay(2000)])
  await sql.end({ timeout: 1 })
  process.exit(0)
}

function receive(line) {
  let command
  try {
    command = JSON.parse(line)
  } catch (problem) {
    write({ id: null, ok: false, reason: 'error', code: null, message: problem.message })
    return
  }
  if (command.cmd === 'exit') {
    write({ id: command.id ?? null, ok: true })
    end()
    return
  }
  const task = run(command).finally(() => running.delete(task))
  running.add(task)
}

process.stdout.on('error', () => process.exit(1))
createInterface({ input: process.stdin })
  .on('line', (line) => line.trim() !== '' && receive(line))
  .on('close', () => ending || end())
