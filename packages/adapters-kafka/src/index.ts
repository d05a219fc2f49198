export { type KafkaConnection } from './driver/client.ts';
export { kafkaMessageLog, type KafkaMessageLogOptions } from './kafka-message-log.ts';
export { defaultKafkaSettings, type KafkaSettings } from './settings.ts';
