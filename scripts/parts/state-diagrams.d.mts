export const offerStates: () => string;
export const feedTaskStates: () => string;
export const stateDocuments: () => Readonly<Record<string, string>>;
