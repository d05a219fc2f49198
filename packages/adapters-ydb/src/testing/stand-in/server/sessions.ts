import type { Database } from '../storage/database.ts';
import { Transaction, type Mode } from '../storage/transaction.ts';
import { YqlError } from '../yql-error.ts';

type Session = { readonly id: string; readonly transactions: Map<string, Transaction> };
/** YDB's own bound. */
const TRANSACTIONS_MAX = 10;

export class Sessions {
  readonly #sessions = new Map<string, Session>();
  #made = 0;
  constructor(
    readonly database: Database,
    readonly transactionBytesMax: number,
  ) {}

  create(): string {
    const id = `ydb://session/3?node_id=1&id=${++this.#made}`;
    this.#sessions.set(id, { id, transactions: new Map() });
    return id;
  }
  get(id: string): Session {
    const found = this.#sessions.get(id);
    if (!found) throw new YqlError('BAD_SESSION', `Session not found: ${id}`);
    return found;
  }
  /** With its transactions. A session that is not there is gone already. */
  delete(id: string): void {
    for (const tx of this.#sessions.get(id)?.transactions.values() ?? []) tx.end();
    this.#sessions.delete(id);
  }
  get size(): number {
    return this.#sessions.size;
  }
  get openTransactions(): number {
    return [...this.#sessions.values()].reduce((sum, { transactions }) => sum + transactions.size, 0);
  }
  begin(session: Session, mode: Mode): Transaction {
    if (session.transactions.size >= TRANSACTIONS_MAX)
      throw new YqlError('BAD_REQUEST', 'Too many transactions of the session');
    const tx = new Transaction(`tx-${++this.#made}`, mode, this.database, this.transactionBytesMax);
    session.transactions.set(tx.id, tx);
    return tx;
  }
  transaction(session: Session, id: string): Transaction {
    const found = session.transactions.get(id);
    if (!found) throw new YqlError('NOT_FOUND', `Transaction not found: ${id}`);
    return found;
  }
  /** Whatever `work` does, the transaction is gone when it fails. */
  async guarded<T>(session: Session, tx: Transaction, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      this.forget(session, tx);
      throw cause;
    }
  }
  forget(session: Session, tx: Transaction): void {
    session.transactions.delete(tx.id);
    tx.end();
  }
}
