export { russianEnglishAnalyzer } from './russian-english-analyzer.ts';
