import { err, ok, type Result } from 'neverthrow';
import { sleep } from '../../../ports/clock.port.ts';
import type { Env } from '../../io.ts';
import { FAULTS, type Fault, type Scenario, type World } from '../scenario.ts';

/**
 * How the log knows a publisher that should have stopped. `token` alone stops another owner's record, not an own
 * one that the network delivers a second time, late: only the sequence within the token does.
 */
export type Fencing = 'none' | 'token' | 'token+sequence';
type Fence = { readonly token: number; readonly sequence: number };
type Refused = { readonly kind: 'Held' | 'Fenced' };

type Server = {
  readonly pending: Set<number>;
  readonly log: number[];
  readonly lease: { owner: string; untilMs: number; token: number };
  fence: Fence;
};
const LEASE_MS = 500;
/** Polite and not enough: a process may freeze right after it looked at the clock. */
const MARGIN_MS = 100;

const clientOf = (server: Server, { io, ids }: Env, world: World, fencing: Fencing) => {
  const me = ids.next();
  return {
    acquire: () =>
      io({ name: 'lease.acquire', args: me }, (): Result<number, Refused> => {
        const { lease } = server;
        // Uses the server's clock, because a member must not judge another member's lease by its own clock.
        if (lease.owner !== me && lease.untilMs > world.nowMs()) return err({ kind: 'Held' });
        Object.assign(lease, { owner: me, untilMs: world.nowMs() + LEASE_MS, token: lease.token + 1 });
        return ok(lease.token);
      }),
    oldest: () => io({ name: 'queue.oldest' }, () => ok(Math.min(...server.pending))),
    publish: (version: number, fence: Fence) =>
      io(
        { name: 'log.publish', args: { version, ...fence }, lane: 'log', resendable: true },
        (): Result<void, Refused> => {
          if (fencing !== 'none' && fence.token < server.fence.token) return err({ kind: 'Fenced' });
          const resent = fence.token === server.fence.token && fence.sequence <= server.fence.sequence;
          if (fencing === 'token+sequence' && resent) return ok(undefined);
          server.fence = fence;
          server.log.push(version);
          return ok(undefined);
        },
      ),
    remove: (version: number) =>
      io({ name: 'queue.remove', args: version }, () => {
        server.pending.delete(version);
        return ok(undefined);
      }),
  };
};

const exportForEver = async (client: ReturnType<typeof clientOf>, { clock }: Env): Promise<void> => {
  for (;;) {
    const askedMs = clock.nowMs();
    const lease = await client.acquire();
    if (lease.isErr()) {
      await sleep(clock, 300);
      continue;
    }
    const mine = (): boolean => clock.nowMs() < askedMs + LEASE_MS - MARGIN_MS;
    for (let sequence = 1; mine(); sequence++) {
      const oldest = await client.oldest();
      if (oldest.isErr() || oldest.value === Infinity) {
        await sleep(clock, 100);
        continue;
      }
      if (!mine()) break;
      const published = await client.publish(oldest.value, { token: lease.value, sequence });
      // Refused or unknown outcome: get a new token before the next record.
      if (published.isErr()) break;
      await client.remove(oldest.value);
    }
  }
};

type Options = {
  readonly versions?: number;
  readonly wildSteps?: number;
  readonly faults?: readonly Fault[];
};

/** Two exporters take turns by a lease; readers of the log never see an older version after a newer one. */
export const leasedExporterScenario = (
  fencing: Fencing,
  { versions = 5, wildSteps = 150, faults = FAULTS }: Options = {},
): Scenario => ({
  faults,
  wildSteps,
  build: (world) => {
    const server: Server = {
      pending: new Set(Array.from({ length: versions }, (_, i) => i + 1)),
      log: [],
      lease: { owner: '', untilMs: 0, token: 0 },
      fence: { token: 0, sequence: 0 },
    };
    for (const [name, skewMs] of [['exporter0', 0] as const, ['exporter1', 40] as const]) {
      world.process(name, (env) => exportForEver(clientOf(server, env, world, fencing), env), { skewMs });
    }
    return {
      law: () => {
        const { log } = server;
        const older = log.findIndex((version, at) => at > 0 && version < log[at - 1]!);
        return older < 0 ? undefined : `out of order: version ${log[older]} after ${log[older - 1]}`;
      },
      done: () => server.pending.size === 0,
    };
  },
});
