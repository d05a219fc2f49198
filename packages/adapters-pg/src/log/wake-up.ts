import pg from 'pg';
import { sleep, type Clock, type Logger } from '@doska/core/kernel';

const CHANNEL = 'doska_log';
const RECONNECT_MS = 500;

/**
 * Tells readers, here and in other processes, that something was published. Notifications go outside of publishing
 * transactions (inside they serialise all commits of the server), one in flight, many topics in one. They are a
 * courtesy: readers poll slowly all the same.
 */
export class WakeUp {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #arrivals = new Map<string, number>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #untold = new Set<string>();
  #client: pg.Client | undefined;
  #connecting: Promise<void> | undefined;
  #telling = false;
  #closed = false;

  constructor(options: { readonly url: string; readonly clock: Clock; readonly logger: Logger }) {
    this.#url = options.url;
    this.#clock = options.clock;
    this.#logger = options.logger;
  }

  arrivals(topic: string): number {
    return this.#arrivals.get(topic) ?? 0;
  }
  /** Something was published to these topics by this process. */
  published(topics: Iterable<string>): void {
    for (const topic of topics) {
      this.#heard(topic);
      this.#untold.add(topic);
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
    await this.#client?.end().catch(() => {}); // the server may be gone already
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
      // A notification takes a transaction id: without this it would wait for the disk.
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
      while (this.#untold.size > 0 && this.#client) {
        const topics = [...this.#untold].slice(0, 50); // a payload holds 8000 bytes
        topics.forEach((topic) => this.#untold.delete(topic));
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
