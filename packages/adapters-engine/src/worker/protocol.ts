import type { EngineSettings, OpenedIndex } from '../engine/embedded-engine.ts';

/** A function can't be sent to a thread, so the analyzer is named: `export` of `module` makes one. */
export type AnalyzerModule = { readonly module: string; readonly export: string };
export type WorkerStart = { readonly settings: EngineSettings; readonly analyzer: AnalyzerModule };

export const CALLS = [
  'create',
  'extend',
  'drop',
  'serve',
  'indexes',
  'apply',
  'renew',
  'sweep',
  'flush',
  'execute',
  'explain',
  'look',
  'digest',
  'places',
  'words',
  'snapshot',
  'close',
] as const;
export type Call = (typeof CALLS)[number];
export type Request = { readonly id: number; readonly call: Call; readonly args: readonly unknown[] };
export type Reply =
  | { readonly kind: 'opened'; readonly opened: readonly OpenedIndex[] }
  | { readonly kind: 'failed'; readonly error: unknown }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warn' | 'error';
      readonly message: string;
      readonly fields: unknown;
    }
  | { readonly kind: 'answer'; readonly id: number; readonly isOk: boolean; readonly value: unknown };
