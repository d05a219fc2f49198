import type { Brand } from '../../kernel/index.ts';
import type { AttributeUse } from './attribute.ts';
import type { Names } from './names.ts';
import type { FilterOverride } from './standard-filters.ts';

export type CategoryId = Brand<string, 'CategoryId'>;

/** A node of the tree. The root has no parent; there is one root. */
export type Category = {
  readonly id: CategoryId;
  readonly parent: CategoryId | undefined;
  readonly names: Names;
  readonly attributes: readonly AttributeUse[];
  readonly filters: FilterOverride;
  readonly retired: boolean;
};
