import { fileGeocoder } from '@doska/adapters-files';
import { cabinetService, draftService, offerService, stageService } from '@doska/adapters-grpc';
import { catalogCachePart, settleExportShards, startProblem, Tokens, type App } from '@doska/app-composition';
import { err } from 'neverthrow';
import { gostDesk } from './desk.ts';
import { anonymousSessions } from './anonymous-sessions.ts';

const NAME = 'gost-api';

/** Drafts, offers and cabinets for sellers, services and operators. */
export const gostApi: App = {
  name: NAME,
  summary: 'Drafts, offers and cabinets: make, publish, edit, sell, list, scan.',
  prepare: async (container) => {
    const geocoder = await fileGeocoder(container.get(Tokens.config).placesFile);
    if (geocoder.isErr())
      return err(startProblem(`DOSKA_PLACES_FILE: ${geocoder.error.file}: ${geocoder.error.message}`));
    container.bind(Tokens.geocoder).toConstantValue(geocoder.value);
    return settleExportShards(container);
  },
  parts: (container) => [catalogCachePart(NAME, container)],
  grpc: (container) => {
    const desk = gostDesk(container);
    const { sessionsPerMinute } = container.get(Tokens.config);
    const authenticator = container.get(Tokens.authenticator);
    const newSession = anonymousSessions(container);
    return [
      draftService({ ...desk, newSession, authenticator, sessionsPerMinute }),
      offerService(desk),
      cabinetService(desk),
      stageService(desk),
    ];
  },
};
