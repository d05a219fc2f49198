import { token, type StartProblem } from '@doska/app-composition';
import type { Snippets, SnippetStore, SnippetTopics } from '@doska/core/snippets';
import type { Result } from 'neverthrow';
import type { z } from 'zod';
import type { snippetsSettings } from './settings.ts';

export type SnippetsConfig = z.infer<z.ZodObject<typeof snippetsSettings>>;

/** Takes over the files if they have changed and are right. A refusal has every mistake; the old config stays. */
export type ReloadSnippets = () => Promise<Result<'unchanged' | 'loaded', StartProblem>>;

export const SnippetsTokens = {
  config: token<SnippetsConfig>('snippets.config'),
  store: token<SnippetStore>('snippets.store'),
  /** The snippet service of the process. */
  snippets: token<Snippets>('snippets'),
  /** The upload by topics of the process. */
  topics: token<SnippetTopics>('snippets.topics'),
  /** Reads the files again. */
  reload: token<ReloadSnippets>('snippets.reload'),
} as const;
