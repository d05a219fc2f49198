import { bindingsOf, readRegistry } from './bindings.ts';

/**
 * What is wrong with the routes of the contracts, in sentences: templates that we can't serve, routes that collide, and
 * methods that have neither a route nor a reason to be gRPC only.
 */
export const routeProblems = (
  descriptorSet: Uint8Array,
  grpcOnly: Readonly<Record<string, string>>,
): readonly string[] => bindingsOf(readRegistry(descriptorSet), grpcOnly).problems;
