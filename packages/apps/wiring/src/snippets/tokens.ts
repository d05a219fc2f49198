import { token } from '@doska/app-composition';
import type { Snippets, SnippetStore } from '@doska/core/snippets';
import type { z } from 'zod';
import type { snippetsSettings } from './settings.ts';

export type SnippetsConfig = z.infer<z.ZodObject<typeof snippetsSettings>>;

export const SnippetsTokens = {
  config: token<SnippetsConfig>('snippets.config'),
  store: token<SnippetStore>('snippets.store'),
  /** The snippet service of the process. */
  snippets: token<Snippets>('snippets'),
} as const;
