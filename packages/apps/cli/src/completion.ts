import type { Command } from 'commander';
import { err, ok } from 'neverthrow';
import { EXIT, problem, type CommandResult } from './outcome.ts';

/** A command with the words that may follow it. */
type Place = {
  /** As it is typed after the program: `catalog publish`. Empty for the program itself. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly description: string }[];
};

const placesOf = (command: Command, path = '', inherited: Place['words'] = []): readonly Place[] => {
  const options = command.options
    .filter(({ hidden, long }) => !hidden && long !== undefined)
    .map(({ long, description }) => ({ word: long!, description }));
  const subcommands = command.commands
    .filter((one) => !(one as Command & { readonly _hidden?: boolean })._hidden)
    .map((one) => ({ word: one.name(), description: one.description() }));
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) =>
    argChoices.map((word) => ({ word, description: '' })),
  );
  const everywhere = [...inherited, ...options];
  const help = { word: '--help', description: 'show help' };
  return [
    { path, words: [...subcommands, ...choices, ...everywhere, help] },
    ...command.commands.flatMap((one) =>
      placesOf(
        one,
        `${path} ${one.name()}`.trim(),
        path === '' ? options.filter(({ word }) => word !== '--version') : inherited,
      ),
    ),
  ];
};
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const wordsOf = ({ words }: Place): string => words.map(({ word }) => word).join(' ');

const bash = (name: string, places: readonly Place[]): string => `# bash: eval "$(${name} completion bash)"
_${name}_completion() {
  local word="\${COMP_WORDS[COMP_CWORD]}" path='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${path:+$path }\${COMP_WORDS[i]}" in
      ${places
        .filter(({ path }) => path !== '')
        .map(({ path }) => quoted(path))
        .join(' | ')}) path="\${path:+$path }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path" in
${places.map((place) => `    ${quoted(place.path)}) words=${quoted(wordsOf(place))} ;;`).join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _${name}_completion ${name}
`;

const zsh = (name: string, places: readonly Place[]): string => `#compdef ${name}
# zsh: eval "$(${name} completion zsh)"
_${name}() {
  local path_='' i
  local -a words_
  for ((i = 2; i < CURRENT; i++)); do
    case "\${path_:+$path_ }\${words[i]}" in
      ${places
        .filter(({ path }) => path !== '')
        .map(({ path }) => quoted(path))
        .join(' | ')}) path_="\${path_:+$path_ }\${words[i]}" ;;
    esac
  done
  case "$path_" in
${places
  .map(
    (place) =>
      `    ${quoted(place.path)}) words_=(${place.words
        .map(({ word, description }) =>
          quoted(`${word.replaceAll(':', '\\:')}${description === '' ? '' : `:${description}`}`),
        )
        .join(' ')}) ;;`,
  )
  .join('\n')}
  esac
  _describe '${name}' words_ || _files
}
compdef _${name} ${name}
`;

const fish = (
  name: string,
  places: readonly Place[],
): string => `# fish: ${name} completion fish > ~/.config/fish/completions/${name}.fish
function __${name}_at
    set -l path
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$path $word")
        if contains -- $next ${places
          .filter(({ path }) => path !== '')
          .map(({ path }) => quoted(path))
          .join(' ')}
            set path $next
        end
    end
    test "$path" = "$argv"
end
${places
  .flatMap(({ path, words }) =>
    words.map(({ word, description }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${quoted(word)}`;
      const said = description === '' ? '' : ` -d ${quoted(description)}`;
      return `complete -c ${name} -n ${quoted(`__${name}_at ${path}`.trim())} ${what}${said}`;
    }),
  )
  .join('\n')}
`;

export const SHELLS = { bash, zsh, fish } as const;

/** A script for the shell, made from the tree of commands. */
export const completionScript = (program: Command, shell: string): CommandResult => {
  const make = Object.hasOwn(SHELLS, shell) ? SHELLS[shell as keyof typeof SHELLS] : undefined;
  if (!make) return err(problem(`${shell}: bash, zsh or fish`, EXIT.usage));
  const text = make(program.name(), placesOf(program));
  return ok({ value: { script: text }, text: text.trimEnd() });
};
