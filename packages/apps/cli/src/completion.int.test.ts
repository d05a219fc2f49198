import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** The built program, as a shell calls it. */
const BIN = fileURLToPath(new URL('../bin/doska.mjs', import.meta.url));
const doska = (...args: readonly string[]) =>
  spawnSync(process.execPath, [BIN, ...args], { encoding: 'utf8', env: { PATH: process.env['PATH'] } });
const made = new Map<string, string>();
const scriptFor = (shell: string): string => {
  const script = made.get(shell) ?? doska('completion', shell).stdout;
  made.set(shell, script);
  return script;
};

/** What bash offers when Tab is pressed at the end of the line. */
const offered = (line: string): readonly string[] => {
  const words = line.split(' ');
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const program = `${scriptFor('bash')}
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}
_doska_completion
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', program], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
};

describe('completion in a real bash', () => {
  test.each([
    ['doska stat', ['status']],
    ['doska catalog ', ['check', 'publish', 'diff', 'show', '--json', '--help']],
    ['doska catalog p', ['publish']],
    ['doska catalog publish --d', ['--dry-run']],
    ['doska --json offer ', ['why', '--json', '--help']],
    ['doska status --w', ['--watch', '--wait']],
    ['doska completion ', ['bash', 'zsh', 'fish', '--json', '--help']],
    ['doska catalog check some-f', []],
    ['doska nonsense x', []],
  ])('[H8] "%s" offers %j', (line, expected) => {
    expect(offered(line)).toEqual(expected);
  });
  test('[H8] bash itself calls it', () => {
    const { stdout } = spawnSync('bash', ['--norc', '-c', `${scriptFor('bash')}\ncomplete -p doska`], {
      encoding: 'utf8',
    });
    expect(stdout).toContain('-F _doska_completion doska');
  });
});
test.each(['zsh', 'fish'])('[H8] the script for %s knows every command and option', (shell) => {
  const script = scriptFor(shell);
  for (const word of ['status', 'catalog publish', 'completion', 'seller erase'])
    expect(script).toContain(word);
  expect(script).toContain(shell === 'fish' ? '-l dry-run' : '--dry-run');
  // Where the shell is installed, it reads the script without a complaint.
  const { error, status, stderr } = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' });
  if (!error) expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
test('[H8] another shell is refused with the names of those that are known', () => {
  const { status, stderr } = doska('completion', 'tcsh');
  expect(status).toBe(64);
  expect(stderr).toContain('bash, zsh, fish');
});
test.each([
  ['statsu', 'status'],
  ['catalog publsh x', 'publish'],
  ['status --wach', '--watch'],
])('[H8] for the typing error "%s" it suggests %s', (line, suggestion) => {
  const { status, stderr } = doska(...line.split(' '));
  expect(status).toBe(64);
  expect(stderr).toContain(`Did you mean ${suggestion}?`);
});
