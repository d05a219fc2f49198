export { telemetry, type RunningTelemetry, type TelemetryOptions } from './telemetry.ts';
