import type { StatusName } from '../yql-error.ts';

export type Fault =
  /** Answered with a status; nothing has happened, and the transaction is gone. */
  | { readonly kind: 'refuse'; readonly status: StatusName }
  /** It has happened, and the answer says otherwise. */
  | { readonly kind: 'applyThenRefuse'; readonly status: StatusName }
  /** Every connection breaks, before anything has happened or after it. */
  | { readonly kind: 'drop' | 'applyThenDrop' }
  /** A gRPC error instead of an answer, as from a proxy; nothing has happened, or it has. */
  | { readonly kind: 'grpc' | 'applyThenGrpc'; readonly code: number }
  /** It happens, but only after this time. */
  | { readonly kind: 'late'; readonly ms: number }
  /** No answer ever; nothing has happened, or it has. */
  | { readonly kind: 'hang' | 'applyThenHang' };
type Planned = {
  readonly method: string;
  readonly fault: Fault;
  readonly when: (request: object) => boolean;
  times: number;
};
export type FaultPlan = { readonly times?: number; readonly when?: (request: object) => boolean };

/** What is to go wrong, in the order in which it was planned. */
export class Faults {
  #planned: Planned[] = [];
  /** Calls that wait. */
  late = 0;
  add(method: string, fault: Fault, { times = 1, when = () => true }: FaultPlan = {}): void {
    this.#planned.push({ method, fault, when, times });
  }
  take(method: string, request: object): Fault | undefined {
    const next = this.#planned.find((one) => one.method === method && one.when(request));
    if (!next) return undefined;
    next.times--;
    this.#planned = this.#planned.filter(({ times }) => times > 0);
    return next.fault;
  }
  /** Those that have not happened yet. */
  get left(): number {
    return this.#planned.length;
  }
  clear(): void {
    this.#planned = [];
  }
}
