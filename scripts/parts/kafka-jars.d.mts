export const missingForKafka: () => string[];
export const kafkaLibs: () => Promise<string>;
