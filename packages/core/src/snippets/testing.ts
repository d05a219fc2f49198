export {
  anyPrefix,
  configText,
  permissiveParts,
  rootDefaults,
  type PlainSection,
} from './testing/config-text.ts';
export { anyOptions, anySections } from './testing/config.arbitraries.ts';
