/** A feed of made offers, the same for the same numbers. The categories and values are those of the demo catalogue. */
export type MadeFeed = {
  readonly offers: number;
  /** Every so many-th offer has another price than in the feed with 0: «1 % changed». 0: none. */
  readonly changedEvery?: number;
  /** Every so many-th offer has a wrong value. 0: none. */
  readonly wrongEvery?: number;
};
type Thing = {
  readonly title: (n: number) => string;
  readonly category: string;
  readonly attributes: readonly (readonly [name: string, values: readonly string[]])[];
};
const THINGS: readonly Thing[] = [
  {
    title: (n) => `Велосипед горный Stels Navigator, ростовка ${16 + (n % 6)}`,
    category: 'Велосипеды',
    attributes: [
      ['Тип велосипеда', ['Горный', 'Городской', 'Шоссейный']],
      ['Марка велосипеда', ['Stels', 'Forward', 'Merida']],
    ],
  },
  {
    title: (n) => `Наушники беспроводные, партия ${n % 97}`,
    category: 'Электроника > Аудио и видео > Наушники',
    attributes: [
      ['Марка наушников', ['Sony', 'JBL', 'Xiaomi']],
      ['Беспроводные', ['да']],
      ['Состояние', ['Новое', 'Б/у']],
    ],
  },
  {
    title: (n) => `Диван раскладной, модель ${n % 41}`,
    category: 'sofas',
    attributes: [
      ['Ширина', ['210 см', '1,9 м', '240']],
      ['Цвет', ['Серый', 'Синий', 'Чёрный']],
    ],
  },
  {
    title: (n) => `Шины летние R16, комплект ${n % 53}`,
    category: 'Шины',
    attributes: [
      ['Сезон', ['Летние', 'Всесезонные']],
      ['Диаметр', ['R15', 'R16', 'R17']],
      ['Производитель шин', ['Michelin', 'Nokian', 'Pirelli']],
    ],
  },
];
const SENTENCES = [
  'Состояние хорошее, пользовались аккуратно и хранили в сухом месте.',
  'Возможна доставка по городу и отправка транспортной компанией.',
  'Звоните в любое время, на сообщения отвечаем в течение дня.',
  'Гарантия от магазина двенадцать месяцев, чек и документы прилагаются.',
  'Торг уместен при осмотре, обмен не предлагать.',
  'Продаём со склада, в наличии несколько цветов и размеров.',
  'Перед покупкой проверьте комплектность вместе с продавцом.',
];
const CITIES = [
  'Москва, Тверская улица, 1',
  'Санкт-Петербург, Невский проспект, 20',
  'Казань, улица Баумана, 5',
];

export const MADE_FEED_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<feed version="1">\n';
export const MADE_FEED_TAIL = '</feed>\n';
/** One offer: about 2 KB of mostly Cyrillic text. */
export const madeOffer = (
  n: number,
  { changedEvery = 0, wrongEvery = 0 }: Omit<MadeFeed, 'offers'> = {},
): string => {
  const thing = THINGS[n % THINGS.length]!;
  const isWrong = wrongEvery > 0 && n % wrongEvery === 0;
  const price = 1_000 + (n % 9_000) + (changedEvery > 0 && n % changedEvery === 0 ? 1 : 0);
  const description = Array.from({ length: 12 }, (_, at) => SENTENCES[(n + at * 3) % SENTENCES.length]).join(
    ' ',
  );
  const attributes = thing.attributes
    .map(([name, values], at) => {
      const value = isWrong && at === 0 ? 'Неведомое' : values[n % values.length]!;
      return `      <attribute name="${name}">${value}</attribute>\n`;
    })
    .join('');
  return (
    `  <offer id="made-${n}">\n    <title>${thing.title(n)}</title>\n    <category>${thing.category}</category>\n` +
    `    <description>${description}</description>\n    <price currency="RUB">${price}</price>\n` +
    `    <place><address>${CITIES[n % CITIES.length]}</address></place>\n` +
    `    <contacts><name>Магазин</name><phone>+7 900 ${String(1_000_000 + (n % 9_000_000))}</phone></contacts>\n` +
    `    <attributes>\n${attributes}    </attributes>\n  </offer>\n`
  );
};
const OFFERS_A_CHUNK = 32;
/** The feed in chunks of about 64 KB. */
export function* madeFeed({ offers, ...faults }: MadeFeed): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(MADE_FEED_HEAD);
  for (let from = 0; from < offers; from += OFFERS_A_CHUNK) {
    const end = Math.min(offers, from + OFFERS_A_CHUNK);
    let text = '';
    for (let n = from; n < end; n++) text += madeOffer(n, faults);
    yield encoder.encode(text);
  }
  yield encoder.encode(MADE_FEED_TAIL);
}
