/** Very frequent words that do not narrow a search, folded (ё = е). Quantities and qualities («два», «хорошо») are not in the list. */
const RUSSIAN =
  'и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще ' +
  'нет о из ему теперь когда даже ну вдруг ли если уже или ни быть был него до вас нибудь опять уж вам ведь там потом ' +
  'себя ничего ей может они тут где есть надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под ' +
  'будет ж тогда кто этот того потому этого какой совсем ним здесь этом почти мой тем чтобы нее сейчас были куда зачем ' +
  'всех никогда можно при наконец об другой хоть после над больше тот через эти нас про всего них какая много разве ' +
  'эту моя впрочем свою этой перед иногда лучше чуть том нельзя такой им более всегда конечно всю между это очень';
const ENGLISH =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with';

export const stopWords: ReadonlySet<string> = new Set(`${RUSSIAN} ${ENGLISH}`.split(' '));
