export {
  anyPrefix,
  configText,
  permissiveParts,
  rootDefaults,
  type PlainSection,
} from './testing/config-text.ts';
export { anyOptions, anySections } from './testing/config.arbitraries.ts';
export { inMemorySnippetStore } from './testing/in-memory-snippet-store.ts';
export { snippetStoreContract, type SnippetStoreHarness } from './testing/snippet-store.contract.ts';
