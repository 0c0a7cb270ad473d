/**
 * The wordings of what changes by itself, in English, Spanish and Portuguese and some in French and
 * German. Every repetition is bounded: whatever a page holds, a pattern is tried in linear time.
 */

const LIST = (text: string): string => text.trim().split(/\s+/).join('|')

const NUMBER = '\\d{1,3}(?:[.,\u00a0\u202f ]\\d{3}){1,4}|\\d{1,12}(?:[.,]\\d{1,3})?'
const SCALE = '(?: ?(?:k|m|mil|mio|tsd)\\b\\.?)?'

const UNITS = LIST(`seconds? secs? minutes? mins? hours? hrs? days? weeks? months? years? segundos?
  minutos? horas? d[ií]as? semanas? mes(?:es)? m[eê]s años? anos? secondes? heures? jours? semaines?
  mois ans? sekunden? minuten? stunden? tage?n? wochen? monate?n? jahre?n? s m h d w y`)
const AMOUNT = '(?:an?|one|una?|uma?|une|eine[rm]?|few|unos|alguns|\\d{1,4})'
const SOME = `(?:${AMOUNT}) ?(?:${UNITS})(?:,? (?:and |y |e )?\\d{1,2} ?(?:${UNITS})){0,2}`

/** Nouns that are counters wherever they stand. */
const COUNTED = LIST(`comments? views? likes? upvotes? visits? visitors? hits repl(?:y|ies)
  retweets? reposts? reactions? downloads? pageviews? reads claps? comentarios? coment[aá]rios? visitas?
  vistas? visualizaciones visualiza[cç][oõ]es respuestas? respostas? lecturas? leituras? lectores
  leitores descargas? downloads acessos? accesos? curtidas? reproducciones
  reprodu[cç][oõ]es commentaires? vues? lectures? kommentare? aufrufe?`)
/** Nouns that are counters only when the text says nothing else. */
const COUNTED_ALONE = LIST(`votes? reviews? ratings? members? points? users? followers? subscribers?
  readers? posts? topics? guests? votos? valoraciones avalia[cç][oõ]es opiniones opini[oõ]es miembros?
  membros? usuarios? usu[aá]rios? seguidores? suscriptores? inscritos? puntos? pontos? temas?
  t[oó]picos? mensajes? mensagens? invitados? convidados? me.gusta gosto`)
const PEOPLE =
  LIST(`users? guests? members? visitors? people readers? usuarios? usu[aá]rios? visitantes?
  invitados? miembros? membros? personas? pessoas? robots? bots?`)

const MONTHS = LIST(`jan(?:uary)? feb(?:ruary)? mar(?:ch)? apr(?:il)? may june? july? aug(?:ust)?
  sep(?:t(?:ember)?)? oct(?:ober)? nov(?:ember)? dec(?:ember)? enero febrero marzo abril mayo junio julio
  agosto sep?tiembre octubre noviembre diciembre janeiro fevereiro março maio junho julho setembro
  outubro novembro dezembro ene abr ago set dic fev mai out dez`)
const WEEKDAYS =
  LIST(`(?:mon|tues|wednes|thurs|fri|satur|sun)day mon tue wed thu fri sat sun lunes martes
  mi[eé]rcoles jueves viernes s[aá]bado domingo (?:segunda|ter[cç]a|quarta|quinta|sexta)(?:-feira)?
  lun mar mi[eé] jue vie s[aá]b dom seg ter qua qui sex`)
const MONTH = `(?:${MONTHS})(?!\\p{L})\\.?`
const WEEKDAY = `(?:${WEEKDAYS})(?!\\p{L})\\.?,? `
const CLOCK =
  '\\d{1,2}[:h.]\\d{2}(?:[:.]\\d{2}(?:[.,]\\d{1,6})?)?(?: ?[ap]\\.? ?m\\.?| hrs?\\.?| uhr|h)?'
const ZONE =
  '(?: ?\\(?(?:utc|gmt|z|[a-z]{2,4}t|[+-]\\d{2}:?\\d{2})(?: ?[+-]\\d{1,2}(?::?\\d{2})?)?\\)?)?'
const DAY = [
  '\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}',
  '\\d{1,2}[-/.]\\d{1,2}[-/.](?:\\d{4}|\\d{2})',
  `\\d{1,2}(?:st|nd|rd|th|º)?\\.?,? (?:de |of )?${MONTH}(?:,? (?:de |del )?\\d{4})?`,
  `${MONTH} \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?`,
].join('|')
const DAY_THEN_CLOCK = `(?:${DAY})(?:,? ?(?:-|–|—|\\||at|a las?|às|as|t|um)? ?${CLOCK}${ZONE})?`
const CLOCK_THEN_DAY = `${CLOCK}${ZONE}(?:,? ?(?:-|–|—|\\||on|el|em|del?)? ?(?:${WEEKDAY})?(?:${DAY}))?`
const MOMENT = `(?:${WEEKDAY}(?:the )?)?(?:${DAY_THEN_CLOCK}|${CLOCK_THEN_DAY})`

/** Words which say that the time next to them is when the page was made. */
const MADE = LIST(`updated? modified generated rendered retrieved refreshed cached served edited
  actualizad[oa] actualizaci[oó]n modificad[oa] modificaci[oó]n generad[oa] atualizad[oa]
  atualiza[cç][aã]o gerad[oa] consultad[oa] editad[oa] modifica[cç][aã]o`)
/** The same where only the frame of a page speaks: in a text it may announce something. */
const MADE_AT_EDGE =
  LIST(`${MADE.replaceAll('|', ' ')} now today time date published hoy hora fecha ahora
  publicad[oa] hoje data agora acesso acceso`)
const BESIDE = LIST(`at on is by time the date el en em às as a.las es é local`)

export const RELATIVE = new RegExp(
  `(?<![\\p{L}\\d])(?:(?:about |over |almost |less than |some )?${SOME} (?:ago|atr[aá]s)|(?:hace|há|il y a|vor)(?: (?:unos?|unas?|cerca de|m[aá]s de|mais de|menos de))? ${SOME}|${SOME} (?:left|remaining|restantes)|(?:starts|begins|ends|closes|opens) in ${SOME}|(?:faltan?|faltam?|quedan?|restam?) ${SOME})(?!\\p{L})`,
  'giu',
)
export const JUST_NOW =
  /^(?:just now|moments? ago|a moment ago|ahora mismo|hace un momento|hace instantes|agora mesmo|agora há pouco|yesterday|ayer|ontem|today|hoy|hoje)$/iu
/** Moments written by machines, to the second. */
export const STAMP =
  /(?<!\d)\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?|(?<!\p{L})(?:mon|tue|wed|thu|fri|sat|sun),? (?:\d{1,2} [a-z]{3} \d{4} \d{2}:\d{2}:\d{2}(?: ?(?:gmt|utc|[+-]\d{4}))?|[a-z]{3} {1,2}\d{1,2} \d{2}:\d{2}:\d{2}(?: [a-z]{3,4})? \d{4})/giu
export const SECONDS_CLOCK =
  /(?<![\d:.])\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,6})?(?: ?[ap]\.?m\.?)?(?![\d:])/giu
export const WHOLE_MOMENT = new RegExp(`^[\\s(\\[|·•-]{0,4}${MOMENT}[\\s)\\]|·•.-]{0,4}$`, 'iu')
export const LABELLED_MOMENT = labelled(MADE)
export const LABELLED_MOMENT_AT_EDGE = labelled(MADE_AT_EDGE)

function labelled(labels: string): RegExp {
  return new RegExp(
    `(?<!\\p{L})((?:${labels})(?: (?:${BESIDE})){0,2}(?: ?[:—–-])? ?)(?:${MOMENT})`,
    'giu',
  )
}

export const COUNTER = new RegExp(
  `(?<![\\p{L}\\d.,$€£#])(?:${NUMBER})${SCALE}\\+? (?:new |total |nuev[oa]s |nov[oa]s )?(${COUNTED})(?!\\p{L})`,
  'giu',
)
/** Shares are also sold; only between marks, as counters stand, they count readers who shared. */
export const SHARED = new RegExp(
  `(?<=^|[(;|·•,›] ?)(?:${NUMBER})${SCALE}\\+? (shares?|compartidos?|compartilhamentos?)(?= ?(?:$|[);|·•,]))`,
  'giu',
)
/** "(3) Messages", as titles show what is unread. */
export const UNREAD = /^\(\d{1,4}\+?\) /
/** "7 + 2 = ?", asked of robots. */
export const RIDDLE = /(?<!\d)\d{1,2} ?[+×x*−-] ?\d{1,2} ?= ?(?:\?|$)/giu
export const COUNTER_AFTER = new RegExp(
  `(?<!\\p{L})(${COUNTED})((?: (?:today|total|number|hoy|totales|hoje|totais))? ?[:(#] ?)(?:${NUMBER})${SCALE}(?!\\d)`,
  'giu',
)
/** "Read 345 times", "visitor number 345", "total visits 345". */
export const COUNTED_TIMES =
  /((?:read|viewed|visited|seen|downloaded|shared|le[ií]d[oa]|vist[oa]|visitad[oa]|descargad[oa]|lid[oa]|baixad[oa]|compartilhad[oa]) )\d{1,3}(?:[.,]?\d{3}){0,3}( (?:times|veces|vezes))(?!\p{L})/giu
export const COUNTED_LAST = new RegExp(
  `(?<!\\p{L})((?:${COUNTED}|visitante)(?: (?:number|n[uú]mero|no\\.?|nº|total(?:es)?))? )(?:${NUMBER})${SCALE}(?=$| ?[·•|,;/–—-])`,
  'giu',
)
export const COUNTER_ALONE = new RegExp(
  `^\\W{0,4}(?:(?:${NUMBER})${SCALE}\\+? (${COUNTED_ALONE})|(${COUNTED_ALONE}) ?[:(]? ?(?:${NUMBER})${SCALE}\\)?)\\W{0,4}$`,
  'iu',
)
export const IS_ONLINE =
  /(?<!\p{L})(?:on-?line|conectad[oa]s|currently browsing|active users|viendo|en l[ií]nea|navegando)(?!\p{L})/iu
export const PEOPLE_ONLINE = new RegExp(
  `(?<![\\p{L}\\d])(?:${NUMBER})( (?:registered |registrados |active |hidden )?(?:${PEOPLE})(?!\\p{L}))|((?:on-?line|conectad[oa]s|en l[ií]nea|users) ?: ?)(?:${NUMBER})`,
  'giu',
)
export const WHOLE_NUMBER = new RegExp(`^\\W{0,3}(?:${NUMBER})${SCALE}\\+?\\W{0,3}$`, 'iu')
export const COPYRIGHT =
  /((?:©|\(c\)|copyright|copyleft)(?: ©)? ?)(?:(?:19|20)\d{2} ?[-–—/] ?)?(?:19|20)\d{2}/giu
export const TOOK =
  /((?:generated|rendered|processed|served|loaded|executed|took|generad[oa]|ejecutad[oa]|gerad[oa]|procesad[oa]|processad[oa]|carregad[oa]|cargad[oa])(?!\p{L})[^.\d]{0,24})\d{1,6}(?:[.,]\d{1,9})? ?(?:m?s|secs?|seconds?|segundos?|milliseconds?|milisegundos?)(?!\p{L})/giu
export const QUERIES = /(?<![\d.,])\d{1,6} (quer(?:y|ies)|consultas|sql)(?!\p{L})/giu
export const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/giu
export const LABELLED_ID = identified(
  '(?:your )?ip(?: address)?|(?:direcci[oó]n|endere[cç]o) ip|request|session|trace|transaction|ray|token|nonce|csrf|incident|sesi[oó]n|sess[aã]o|solicitud|requisi[cç][aã]o',
)
export const LABELLED_ID_AT_EDGE = identified(
  'build|commit|reference|error|debug|server|node|cache|revision|rev|compilaci[oó]n|servidor',
)

function identified(labels: string): RegExp {
  return new RegExp(
    `(?<!\\p{L})((?:${labels})(?: ?(?:id|no\\.?|number|key|hash))?(?: ?[:#=] ?| ))(?=[\\w-]{0,60}\\d)[a-z0-9][\\w.-]{3,80}`,
    'giu',
  )
}
