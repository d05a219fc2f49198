import { fromBinary, fromJson, toBinary, toJson, type DescMethod } from '@bufbuild/protobuf';
import { descriptorSet } from '@doska/adapters-proto/descriptors';
import type { MethodDefinition, ServiceDefinition } from '@doska/adapters-rpc';
import { seededRandom } from '@doska/core/kernel/testing';
import { expect, test } from 'vitest';
import { randomJson } from '../testing/random-message.ts';
import { methodsOf, readRegistry } from './bindings.ts';
import { readRequest } from './read-request.ts';
import { MessageWriters } from './write-message.ts';

/** The generated code of a service. Found by the contract's file name, so a new contract is tested without a change here. */
const definitionOf = async ({ name, parent }: DescMethod): Promise<MethodDefinition> => {
  const file = `@doska/adapters-proto/generated/${parent.file.name}`;
  const generated = (await import(file)) as Readonly<Record<string, ServiceDefinition>>;
  return Object.values(generated[`${parent.name}Definition`]!.methods).find((one) => one.name === name)!;
};
const methods = methodsOf(readRegistry(descriptorSet)).map((method) => ({
  name: `${method.parent.name}.${method.name}`,
  method,
}));
const writers = new MessageWriters();

test.each(methods)('[H3] answers of $name are written as protobuf’s own JSON', async ({ method }) => {
  const { responseType } = await definitionOf(method);
  const write = writers.of(method.output);
  const random = seededRandom(7);
  for (let i = 0; i < 200; i++) {
    const bytes = toBinary(method.output, fromJson(method.output, randomJson(method.output, random)));
    const expected = toJson(method.output, fromBinary(method.output, bytes), { alwaysEmitImplicit: true });
    expect(JSON.parse(write(responseType.decode(bytes)))).toEqual(JSON.parse(JSON.stringify(expected)));
  }
});

test.each(methods)('[H3] requests of $name are read as gRPC reads them', async ({ method }) => {
  const { requestType } = await definitionOf(method);
  const random = seededRandom(8);
  for (let i = 0; i < 200; i++) {
    const json = randomJson(method.input, random);
    const bytes = toBinary(method.input, fromJson(method.input, json));
    expect(readRequest(method.input, requestType, json)._unsafeUnwrap()).toEqual(requestType.decode(bytes));
  }
});
