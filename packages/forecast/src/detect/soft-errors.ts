/** Pages that say, with status 200, that they are not the page: missing, closed for repairs, a riddle. */

export const ALARMS = ['missing', 'unavailable'] as const
export type Alarm = (typeof ALARMS)[number]

const MISSING =
  /(?:^|\W)(?:(?:error|http|erro)\W{0,3}404|404\W{0,3}(?:error|not found|page|p[aá]gina|erro)|(?:page|file|document|url|article|content|site|product|resource)(?: you (?:requested|were looking for|are looking for))?(?: (?:was|is|could|can))?(?: ?not|n['’]t)(?: be)? (?:found|exist|available)|not found$|^404$|(?:does|do)(?: not|n['’]t) exist|no longer (?:exists|available)|p[aá]gina (?:que (?:busca|procura|solicit)\p{L}{0,6} )?(?:no|n[aã]o) (?:fue |foi |se ha |est[aá] )?(?:encontrada|existe|disponible|dispon[ií]vel)|(?:no|n[aã]o) (?:se (?:encontr[oó]|ha encontrado)|encontramos|pudimos encontrar|foi poss[ií]vel encontrar|existe)(?: la| a| esta| essa)? ?p[aá]gina|contenido no encontrado|conte[uú]do n[aã]o encontrado|page (?:introuvable|non trouv[eé]e)|seite nicht gefunden)/iu
const UNAVAILABLE =
  /(?:under maintenance|down for maintenance|maintenance mode|scheduled maintenance|en mantenimiento|em manuten[cç][aã]o|temporarily unavailable|service unavailable|temporalmente no disponible|temporariamente indispon[ií]vel|just a moment|checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human|are you a (?:human|robot)|attention required|access denied|acceso denegado|acesso negado|too many requests|rate limit exceeded|internal server error|bad gateway|gateway time-?out|database (?:connection )?error|error establishing a database connection|error de conexi[oó]n|enable (?:javascript|cookies) (?:and cookies )?to continue)/iu

/** A page that only says this has few words; an article about it has many. */
const FEW_WORDS = 60

export interface PageOpening {
  /** The title and the first main headings. */
  headings: readonly string[]
  /** The first texts, one per line. */
  opening: string
  words: number
}

export function alarmIn({ headings, opening, words }: PageOpening): Alarm | null {
  const said = words <= FEW_WORDS ? [...headings, ...opening.split('\n')] : headings
  if (said.some((text) => MISSING.test(text))) return 'missing'
  return said.some((text) => UNAVAILABLE.test(text)) ? 'unavailable' : null
}
