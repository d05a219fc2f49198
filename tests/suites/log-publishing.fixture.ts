import { RIGHT } from './breakage.ts';
import { suiteOn, suiteOnBroken } from './log-suite.ts';

suiteOn(RIGHT, (right) => right);
suiteOnBroken('publishing');
