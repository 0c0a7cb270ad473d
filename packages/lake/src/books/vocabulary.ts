/** Words from which synthetic books and reviews are put together. */

const words = (text: string): string[] => text.trim().split(/\s*,\s*/)
const lines = (text: string): string[] => text.trim().split(/\s*\n\s*/)

export const ADJECTIVES =
  words(`silent, hidden, last, golden, broken, distant, crooked, early, patient, blue, winter,
  borrowed, second, hollow, northern, careful, forgotten, bright, secret, ordinary, salted, burning, gentle, narrow,
  paper, wandering, honest, iron, late, unfinished`)

export const NOUNS =
  words(`river, garden, clock, daughter, harbour, machine, letter, orchard, mountain, library, map,
  kitchen, soldier, window, island, physician, bridge, kingdom, notebook, voyage, lantern, teacher, forest, market,
  window, shepherd, stranger, archive, mirror, winter`)

export const SUBJECTS =
  words(`history, gardening, algebra, cooking, sailing, painting, medicine, chess, astronomy,
  gardens, music, travel, economics, birds, photography, wool, law, bridges, ethics, bread`)

export const FIRST_NAMES =
  words(`Ana, Bruno, Clara, Diego, Elena, Félix, Greta, Hugo, Inês, Jonas, Katja, Liam, Marta,
  Nuno, Olga, Pablo, Queenie, Rosa, Søren, Tomás, Ursula, Vera, Walter, Xenia, Yara, Zoë`)

export const LAST_NAMES =
  words(`Abbott, Barros, Castillo, Dumont, Eriksen, Fonseca, Graham, Hoffmann, Ibáñez, Jansen,
  Kowalski, Lindqvist, Moreira, Nakamura, Oliveira, Pereira, Quinn, Rossi, Schmidt, Tavares, Ueda, Vance, Whitfield,
  Young, Zamora`)

/** Names that need quotes of the other kind. */
export const QUOTED_NAMES = words(
  `Flann O'Hara, Maeve D'Arcy, Sean O'Dowd, Lia N'Diaye, Ines L'Engle`,
)

export const PUBLISHERS =
  words(`Harbour House, Lantern Press, University of the North Press, Paper Mill, Casa Clara,
  Second Floor Books, Old Bridge, Nightjar, Red Kite & Sons, Meridian`)

/** Each as often as it stands here; a name inside another is not that name. */
export const CATEGORIES =
  words(`Fiction, Fiction, Fiction, Fiction, Fiction, Fiction, Juvenile Fiction, Religion,
  History, Computers, Business & Economics, Biography & Autobiography, Cooking, Science, Poetry, Travel, Music,
  Health & Fitness, Philosophy, Art`)

export const GOOD =
  words(`wonderful, brilliant, beautiful, delightful, excellent, touching, charming, amazing, great,
  superb, funny, wise, perfect, inspiring, warm`)

export const BAD =
  words(`terrible, boring, awful, disappointing, dull, confusing, horrible, shallow, annoying, sad,
  weak, ugly, useless, poor, tedious`)

export const BOOSTERS = words(
  `very, really, extremely, truly, so, quite, kind of, somewhat, absolutely, rather`,
)

export const PARTS =
  words(`plot, story, ending, style, hero, language, pace, translation, dialogue, first chapter,
  research, humour, map at the front, cover, narrator`)

/** `%g` a good word, `%b` a bad one, `%x` something that strengthens or weakens, `%p` a part of a book. */
export const PRAISE = lines(`
  I loved the %p and found the %p %x %g.
  The %p is %x %g!
  What a %g book, what a %g %p.
  My sister gave it to me as a gift; we both enjoyed the %g %p.
  It isn't bad at all, the %p is %g and I would recommend it to anyone.
  GREAT %p!!! I smiled all the way home :)
  It starts slowly, but the %p is %x %g.
  I've read it three times; the %p makes me happy every time.
  Never has a %p been so %g.
  A friend said "you will love it" and I do.
  Best %p of the year: %g and %g.`)

export const BLAME = lines(`
  I hated the %p and found the %p %x %b.
  The %p is %x %b.
  What a %b book, what a %b %p.
  I wanted to like it, but the %p was %b and the %p no better.
  It is not %g, whatever the critics say :(
  DON'T buy it! The %p is a %b joke.
  My copy came damaged; the %p is as %b as the %p.
  I fell asleep over the %b %p, twice.
  Nobody told me how %x %b the %p would be.
  The blurb says "a %g %p"; it is a lie.`)

export const PLAIN = lines(`
  The book has three hundred pages and a map.
  I read it on the train between two cities.
  It was first printed by a small house in the north.
  The author teaches at a school near the sea.
  There are twelve chapters and an index.
  The second part is about the harbour and its clerks.
  My edition is the paperback, with the older cover.
  A cafe owner named Zoe appears in chapter five.
  We discussed it in our reading group last month.
  The type is small, and the margins are wide.
  I bought it used; it took two weeks to arrive.`)

/** Few, since a text with one of them is written more slowly. */
export const FOREIGN = lines(`
  Un libro muy bueno, ¡me encantó!
  Not a café novel… naïve, but 😀 all the same.
  Uma história maravilhosa — e triste.`)
