import type { RpcError } from '@doska/adapters-grpc';
import { EXIT, problem, type CommandProblem } from './outcome.ts';

/** What a service answered that did not do what it was asked, in words. */
export const refusalInWords = (service: string, error: RpcError): CommandProblem => {
  if (error.kind === 'Unavailable')
    return problem(`${service} did not answer: ${error.what}`, EXIT.unavailable);
  if (error.kind === 'InvalidInput')
    return problem(
      ['refused:', ...error.violations.map(({ path, message }) => `  ${path}: ${message}`)].join('\n'),
      EXIT.refused,
    );
  return problem(
    error.kind === 'Rejected' ? `${error.reason}: ${error.message}` : JSON.stringify(error),
    EXIT.refused,
  );
};
