import type { Metrics } from '../../kernel/index.ts';
import type { PhotoOutcome } from '../domain/photo.ts';
import type { RenderedImage } from '../ports/image-processor.port.ts';

/** What the service tells of its pictures. */
export interface PhotoMetrics {
  recalled(): void;
  fetched(bytes: number): void;
  stored(image: RenderedImage): void;
  settled(outcome: PhotoOutcome): void;
  forgotten(): void;
}

export const makePhotoMetrics = (metrics: Metrics): PhotoMetrics => {
  const photos = metrics.counter({
    name: 'doska_photos_total',
    help: 'Pictures that were asked for, by what became of them.',
    labels: ['outcome'],
  });
  const failures = metrics.counter({
    name: 'doska_photo_failures_total',
    help: 'Pictures that could not be had, by reason.',
    labels: ['reason'],
  });
  const fetched = metrics.counter({
    name: 'doska_photo_fetched_bytes_total',
    help: 'Bytes of pictures that were downloaded.',
  });
  const stored = metrics.counter({
    name: 'doska_photo_stored_bytes_total',
    help: 'Bytes of renditions that were stored.',
  });
  const forgotten = metrics.counter({
    name: 'doska_photos_forgotten_total',
    help: 'Pictures that were deleted because no offer names them any more.',
  });
  return {
    recalled: () => photos.add(1, { outcome: 'recalled' }),
    fetched: (bytes) => fetched.add(bytes),
    stored: ({ renditions }) => stored.add(renditions.reduce((sum, { content }) => sum + content.length, 0)),
    settled: (outcome) => {
      photos.add(1, { outcome: outcome.kind });
      if (outcome.kind === 'failed') failures.add(1, { reason: outcome.code });
    },
    forgotten: () => forgotten.add(1),
  };
};
