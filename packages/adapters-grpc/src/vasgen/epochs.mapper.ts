import { enumTable } from '@doska/adapters-proto';
import {
  EpochCommand as PbCommand,
  EpochState as PbState,
  FieldKind as PbKind,
  type Epoch as PbEpoch,
  type FieldSpec as PbField,
  type PlanSpec,
  type Schema,
} from '@doska/adapters-proto/generated/doska/vasgen/v1/epoch_service';
import { invalidInput, type InvalidInput, type Violation } from '@doska/core/kernel';
import {
  isMultiple,
  type ClientEpochs,
  type DeclaredPlan,
  type DeclaredPlans,
  type Epoch,
  type EpochCommand,
  type EpochSchema,
  type EpochState,
  type FieldKind,
  type FieldSpec,
  type IndexSchema,
} from '@doska/core/vasgen';
import { err, ok, type Result } from 'neverthrow';

const states = enumTable<EpochState>({
  building: PbState.EPOCH_STATE_BUILDING,
  serving: PbState.EPOCH_STATE_SERVING,
  retained: PbState.EPOCH_STATE_RETAINED,
});
const kinds = enumTable<FieldKind>({
  text: PbKind.FIELD_KIND_TEXT,
  number: PbKind.FIELD_KIND_NUMBER,
  boolean: PbKind.FIELD_KIND_BOOLEAN,
  enum: PbKind.FIELD_KIND_ENUM,
  string: PbKind.FIELD_KIND_STRING,
  geo: PbKind.FIELD_KIND_GEO,
  vector: PbKind.FIELD_KIND_VECTOR,
});
export const commands = enumTable<EpochCommand>({
  create: PbCommand.EPOCH_COMMAND_CREATE,
  promote: PbCommand.EPOCH_COMMAND_PROMOTE,
  rollback: PbCommand.EPOCH_COMMAND_ROLLBACK,
  finish: PbCommand.EPOCH_COMMAND_FINISH,
  cancel: PbCommand.EPOCH_COMMAND_CANCEL,
});

const fieldToPb = (name: string, spec: FieldSpec): PbField => ({
  name,
  kind: kinds.toPb(spec.kind) as PbKind,
  multiple: isMultiple(spec),
  boost: spec.kind === 'text' ? spec.boost : undefined,
  clusters: spec.kind === 'enum' && spec.clusters === true,
  dimension: spec.kind === 'vector' ? spec.dimension : 0,
});
const specFromPb = ({ kind, multiple, boost, clusters, dimension }: PbField): FieldSpec | undefined => {
  const known = kinds.fromPb(kind);
  switch (known) {
    case undefined:
      return undefined;
    case 'text':
      return { kind: known, ...(boost !== undefined && { boost }) };
    case 'enum':
      return { kind: known, ...(clusters && { clusters }), ...(multiple && { multiple }) };
    case 'string':
      return { kind: known, ...(multiple && { multiple }) };
    case 'vector':
      return { kind: known, dimension };
    case 'number':
    case 'boolean':
    case 'geo':
      return { kind: known };
  }
};
/** Fields by name. A name that stands twice, or a kind that is not known, is a violation. */
export const fieldsFromPb = (fields: readonly PbField[]): Result<IndexSchema, InvalidInput> => {
  const violations: Violation[] = [];
  const specs = new Map<string, FieldSpec>();
  for (const [at, field] of fields.entries()) {
    const spec = specFromPb(field);
    const path = `fields[${at}]`;
    if (!spec) violations.push({ path: `${path}.kind`, code: 'Unknown', message: 'not a kind of field' });
    else if (specs.has(field.name))
      violations.push({ path: `${path}.name`, code: 'Repeated', message: `${field.name} stands twice` });
    else specs.set(field.name, spec);
  }
  return violations.length > 0 ? err(invalidInput(...violations)) : ok(Object.fromEntries(specs));
};

const planToPb = (name: string, { boosts, counts }: DeclaredPlan): PlanSpec => ({
  name,
  boosts: boosts.map(({ field, weight, halfLifeMs = 0 }) => ({ field, weight, halfLifeMs })),
  counts: counts.map(({ field, limit }) => ({ field, limit })),
});
export const plansToPb = (plans: DeclaredPlans): PlanSpec[] =>
  Object.entries(plans).map(([name, plan]) => planToPb(name, plan));
export const plansFromPb = (plans: readonly PlanSpec[]): DeclaredPlans =>
  Object.fromEntries(
    plans.map(({ name, boosts, counts }): [string, DeclaredPlan] => [
      name,
      {
        boosts: boosts.map(({ field, weight, halfLifeMs }) => ({
          field,
          weight,
          ...(halfLifeMs !== 0 && { halfLifeMs }),
        })),
        counts,
      },
    ]),
  );

export const fieldsToPb = (fields: IndexSchema): PbField[] =>
  Object.entries(fields).map(([name, spec]) => fieldToPb(name, spec));
export const schemaToPb = ({ number, fields, plans = {} }: EpochSchema): Schema => ({
  number: BigInt(number),
  fields: fieldsToPb(fields),
  plans: plansToPb(plans),
});
const schemaFromPb = ({ number, fields, plans }: Schema): EpochSchema => ({
  number: Number(number),
  // A kind that a newer server knows and this client does not is left out: no document of ours has it.
  fields: fieldsFromPb(fields.filter((field) => specFromPb(field))).unwrapOr({}),
  plans: plansFromPb(plans),
});

export const epochsToPb = ({ epochs }: ClientEpochs): PbEpoch[] =>
  epochs.map(({ epoch, state, schema }) => ({
    epoch: BigInt(epoch),
    state: states.toPb(state) as PbState,
    schema: schemaToPb(schema),
  }));
export const epochsFromPb = (epochs: readonly PbEpoch[]): readonly Epoch[] =>
  epochs.flatMap(({ epoch, state, schema }) => {
    const known = states.fromPb(state);
    return known && schema ? [{ epoch: Number(epoch), state: known, schema: schemaFromPb(schema) }] : [];
  });
