/** For tests of whole platforms: the routes of the contracts, and random requests for them. */
export { bindingsOf, nameOf, readRegistry, type Binding } from './json/bindings.ts';
export { randomJson } from './testing/random-message.ts';
