import { fromBinary, fromJson, toBinary, toJson, type DescMethod } from '@bufbuild/protobuf';
import { descriptorSet } from '@doska/adapters-proto/descriptors';
import { CatalogServiceDefinition } from '@doska/adapters-proto/generated/doska/catalog/v1/catalog';
import { DraftServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/draft_service';
import {
  CabinetServiceDefinition,
  OfferServiceDefinition,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import { StageServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/stage_service';
import { OperationsServiceDefinition } from '@doska/adapters-proto/generated/doska/operations/v1/operations';
import type { ServiceDefinition } from '@doska/adapters-rpc';
import { seededRandom } from '@doska/core/kernel/testing';
import { expect, test } from 'vitest';
import { randomJson } from '../testing/random-message.ts';
import { methodsOf, readRegistry } from './bindings.ts';
import { readRequest } from './read-request.ts';
import { MessageWriters } from './write-message.ts';

const definitions: readonly ServiceDefinition[] = [
  CatalogServiceDefinition,
  DraftServiceDefinition,
  OfferServiceDefinition,
  CabinetServiceDefinition,
  StageServiceDefinition,
  OperationsServiceDefinition,
];
const definitionOf = (method: DescMethod) => {
  const service = definitions.find(({ fullName }) => fullName === method.parent.typeName)!;
  return Object.values(service.methods).find(({ name }) => name === method.name)!;
};
const methods = methodsOf(readRegistry(descriptorSet)).map((method) => ({
  name: `${method.parent.name}.${method.name}`,
  method,
}));
const writers = new MessageWriters();

test.each(methods)('[H3] answers of $name are written as protobuf’s own JSON', ({ method }) => {
  const { responseType } = definitionOf(method);
  const write = writers.of(method.output);
  const random = seededRandom(7);
  for (let i = 0; i < 200; i++) {
    const bytes = toBinary(method.output, fromJson(method.output, randomJson(method.output, random)));
    const expected = toJson(method.output, fromBinary(method.output, bytes), { alwaysEmitImplicit: true });
    expect(JSON.parse(write(responseType.decode(bytes)))).toEqual(JSON.parse(JSON.stringify(expected)));
  }
});

test.each(methods)('[H3] requests of $name are read as gRPC reads them', ({ method }) => {
  const { requestType } = definitionOf(method);
  const random = seededRandom(8);
  for (let i = 0; i < 200; i++) {
    const json = randomJson(method.input, random);
    const bytes = toBinary(method.input, fromJson(method.input, json));
    expect(readRequest(method.input, requestType, json)._unsafeUnwrap()).toEqual(requestType.decode(bytes));
  }
});
