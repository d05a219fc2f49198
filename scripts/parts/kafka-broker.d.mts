export type StartedBroker = {
  readonly pid: number;
  readonly port: number;
  readonly address: string;
  readonly version: string;
  readonly readyMs: number;
};
export type BrokerOptions = {
  readonly dir: string;
  readonly port: number;
  readonly controllerPort: number;
  /** The broker dies with this process, however this process ends. */
  readonly guarded?: boolean;
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
};
export const freePort: () => Promise<number>;
export const runningBroker: (dir: string) => Promise<number>;
export const portOf: (dir: string) => number;
export const startBroker: (options: BrokerOptions) => Promise<StartedBroker>;
export const endBroker: (dir: string, signal?: NodeJS.Signals, patienceMs?: number) => Promise<boolean>;
