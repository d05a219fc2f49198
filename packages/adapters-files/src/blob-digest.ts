import { createHash } from 'node:crypto';
import type { BlobDigest, BlobHash } from '@doska/core/kernel';

export const blobDigest: BlobDigest = (content) =>
  createHash('sha256').update(content).digest('hex') as BlobHash;
