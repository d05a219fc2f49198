import pg from 'pg';
import { limitRepeats, sleep, type Clock, type Logger } from '@doska/core/kernel';

const CHANNEL = 'doska_log';
const RECONNECT_MS = 500;

/**
 * Wakes readers, in this and in other processes, after a publish. Notifications are sent outside of the publishing
 * transactions, because inside they serialise all commits of the server. At most one is in flight; it names many topics.
 * A lost one only costs time: readers also poll slowly.
 */
export class WakeUp {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #arrivals = new Map<string, number>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #pendingTopics = new Set<string>();
  #client: pg.Client | undefined;
  #connecting: Promise<void> | undefined;
  #telling = false;
  #closed = false;

  constructor(options: { readonly url: string; readonly clock: Clock; readonly logger: Logger }) {
    this.#url = options.url;
    this.#clock = options.clock;
    this.#logger = limitRepeats(options.logger, options.clock);
  }

  arrivals(topic: string): number {
    return this.#arrivals.get(topic) ?? 0;
  }
  /** Call it after this process has published to these topics. */
  published(topics: Iterable<string>): void {
    for (const topic of topics) {
      this.#heard(topic);
      this.#pendingTopics.add(topic);
    }
    void this.#tell();
  }
  async wait(topic: string, seen: number, maxMs: number, signal: AbortSignal): Promise<void> {
    this.#connect();
    if (this.arrivals(topic) !== seen || signal.aborted) return;
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    const waiting = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, waiting.add(wake));
    signal.addEventListener('abort', wake);
    await sleep(this.#clock, maxMs, woken.signal);
    signal.removeEventListener('abort', wake);
    waiting.delete(wake);
  }
  async close(): Promise<void> {
    this.#closed = true;
    await this.#connecting;
    await this.#client?.end().catch(() => {}); // the server may have stopped already
  }

  #heard(topic: string): void {
    this.#arrivals.set(topic, this.arrivals(topic) + 1);
    this.#listeners.get(topic)?.forEach((wake) => wake());
  }
  #connect(): void {
    if (this.#client || this.#connecting || this.#closed) return;
    this.#connecting = this.#open().finally(() => (this.#connecting = undefined));
  }
  async #open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'doska-log-wake-up',
      keepAlive: true,
    });
    client.on('notification', ({ payload }) => payload?.split('\n').forEach((topic) => this.#heard(topic)));
    client.on('error', () => {}); // followed by `end`
    client.on('end', () => {
      if (this.#client === client) this.#client = undefined;
    });
    try {
      await client.connect();
      // A notification takes a transaction id; without this setting it would wait for the disk.
      await client.query(`set synchronous_commit = off; listen ${CHANNEL}`);
      this.#client = client;
      void this.#tell();
    } catch (cause) {
      this.#logger.warn('log wake-up connection failed; readers poll', { cause });
      await client.end().catch(() => {});
      await sleep(this.#clock, RECONNECT_MS);
    }
  }
  async #tell(): Promise<void> {
    this.#connect();
    if (this.#telling || !this.#client) return;
    this.#telling = true;
    try {
      while (this.#pendingTopics.size > 0 && this.#client) {
        const topics = [...this.#pendingTopics].slice(0, 50); // a payload holds 8000 bytes
        topics.forEach((topic) => this.#pendingTopics.delete(topic));
        await this.#client.query({
          name: 'notify',
          text: 'select pg_notify($1, $2)',
          values: [CHANNEL, topics.join('\n')],
        });
      }
    } catch (cause) {
      this.#logger.warn('log notification failed; readers poll', { cause });
    } finally {
      this.#telling = false;
    }
  }
}
