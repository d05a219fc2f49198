import { suiteOnBroken } from './log-suite.ts';

suiteOnBroken('handling');
