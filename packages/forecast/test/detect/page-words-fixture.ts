/** Sentences in three languages for synthetic pages, and the wordings of what changes by itself. */
import type { SeededRandom } from '@minga/testkit'

export const LANGUAGES = ['en', 'es', 'pt'] as const
export type Language = (typeof LANGUAGES)[number]

interface Words {
  subjects: string[]
  verbs: string[]
  objects: string[]
  endings: string[]
  months: string[]
  weekdays: string[]
}

const split = (text: string): string[] => text.split('|').map((part) => part.trim())

const WORDS: Record<Language, Words> = {
  en: {
    subjects: split(
      'The council|The faculty|A group of neighbours|The library|The new bridge|The harbour office|Our laboratory|The night train|The museum|The water company|Every second farmer|The orchestra',
    ),
    verbs: split(
      'opened|announced|postponed|measured|rebuilt|published|closed|described|restored|questioned|extended|doubled',
    ),
    objects: split(
      'the northern line|a collection of letters|the results of the survey|two public gardens|the winter timetable|an old observatory|the price of bread|its archive|the entrance examination|a long report|the ferry service|the programme of concerts',
    ),
    endings: split(
      'after a long debate|near the river|for the first time since the war|without further notice|with help from volunteers|before the rain came|in three districts|against all advice',
    ),
    months: split(
      'January|February|March|April|May|June|July|August|September|October|November|December',
    ),
    weekdays: split('Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday'),
  },
  es: {
    subjects: split(
      'El concejo|La facultad|Un grupo de vecinos|La biblioteca|El nuevo puente|La capitanía|Nuestro laboratorio|El tren nocturno|El museo|La compañía de aguas|La orquesta|El hospital',
    ),
    verbs: split(
      'inauguró|anunció|aplazó|midió|reconstruyó|publicó|cerró|describió|restauró|cuestionó|amplió|duplicó',
    ),
    objects: split(
      'la línea del norte|una colección de cartas|los resultados de la encuesta|dos jardines públicos|el horario de invierno|un viejo observatorio|el precio del pan|su archivo|el examen de ingreso|un informe extenso|el servicio de lanchas|el programa de conciertos',
    ),
    endings: split(
      'tras un largo debate|cerca del río|por primera vez desde la guerra|sin más aviso|con ayuda de voluntarios|antes de las lluvias|en tres distritos|contra todo consejo',
    ),
    months: split(
      'enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre',
    ),
    weekdays: split('lunes|martes|miércoles|jueves|viernes|sábado|domingo'),
  },
  pt: {
    subjects: split(
      'A câmara|A faculdade|Um grupo de vizinhos|A biblioteca|A nova ponte|A capitania|O nosso laboratório|O comboio noturno|O museu|A companhia das águas|A orquestra|O hospital',
    ),
    verbs: split(
      'abriu|anunciou|adiou|mediu|reconstruiu|publicou|fechou|descreveu|restaurou|questionou|ampliou|duplicou',
    ),
    objects: split(
      'a linha do norte|uma coleção de cartas|os resultados do inquérito|dois jardins públicos|o horário de inverno|um velho observatório|o preço do pão|o seu arquivo|o exame de admissão|um longo relatório|o serviço de barcas|o programa de concertos',
    ),
    endings: split(
      'depois de um longo debate|perto do rio|pela primeira vez desde a guerra|sem outro aviso|com ajuda de voluntários|antes das chuvas|em três distritos|contra todos os conselhos',
    ),
    months: split(
      'janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro',
    ),
    weekdays: split(
      'segunda-feira|terça-feira|quarta-feira|quinta-feira|sexta-feira|sábado|domingo',
    ),
  },
}

export function sentence(random: SeededRandom, language: Language): string {
  const { subjects, verbs, objects, endings } = WORDS[language]
  const parts = [random.pick(subjects), random.pick(verbs), random.pick(objects)]
  if (random.chance(0.7)) parts.push(random.pick(endings))
  if (random.chance(0.2)) parts.push(`(${dayIn(random, language)})`)
  return `${parts.join(' ')}.`
}

export function paragraph(random: SeededRandom, language: Language): string {
  return Array.from({ length: 2 + random.integer(4) }, () => sentence(random, language)).join(' ')
}

export function headline(random: SeededRandom, language: Language): string {
  return sentence(random, language).replace(/\.$/, '')
}

/** A date as people write it in a text. */
export function dayIn(random: SeededRandom, language: Language): string {
  const { months } = WORDS[language]
  const [day, month, year] = [1 + random.integer(28), random.pick(months), 2019 + random.integer(8)]
  return language === 'en' ? `${month} ${day}, ${year}` : `${day} de ${month} de ${year}`
}

const two = (value: number): string => String(value).padStart(2, '0')

/** Lines that tell the time of the answer, in several customs. */
export function clockLine(random: SeededRandom, language: Language): string {
  const { months, weekdays } = WORDS[language]
  const [day, month, year] = [1 + random.integer(28), 1 + random.integer(12), 2026]
  const [hour, minute, second] = [random.integer(24), random.integer(60), random.integer(60)]
  const clock = `${two(hour)}:${two(minute)}`
  const named =
    language === 'en'
      ? `${months[month - 1]} ${day}, ${year}`
      : `${day} de ${months[month - 1]} de ${year}`
  const label = { en: 'Last updated', es: 'Última actualización', pt: 'Última atualização' }[
    language
  ]
  return random.pick([
    `${random.pick(weekdays)}, ${named}`,
    `${random.pick(weekdays)} ${named}, ${clock}`,
    `${label}: ${named} ${clock}`,
    `${label}: ${year}-${two(month)}-${two(day)} ${clock}:${two(second)}`,
    `${two(day)}/${two(month)}/${year} ${clock}`,
    `${label} ${two(day)}/${two(month)}/${year}`,
    `${clock}:${two(second)} UTC`,
    `${year}-${two(month)}-${two(day)}T${clock}:${two(second)}Z`,
  ])
}

export function relativeTime(random: SeededRandom, language: Language): string {
  const count = 2 + random.integer(50)
  const units = {
    en: ['minutes', 'hours', 'days', 'min', 'seconds'],
    es: ['minutos', 'horas', 'días', 'min', 'segundos'],
    pt: ['minutos', 'horas', 'dias', 'min', 'segundos'],
  }[language]
  const unit = random.pick(units)
  if (language === 'en') return random.pick([`${count} ${unit} ago`, `about ${count} ${unit} ago`])
  return language === 'es'
    ? `hace ${count} ${unit}`
    : random.pick([`há ${count} ${unit}`, `${count} ${unit} atrás`])
}

/** How many read, liked or answered. */
export function counterLine(random: SeededRandom, language: Language): string {
  const count = 12 + random.integer(90_000)
  const grouped = String(count).replace(/\B(?=(\d{3})+$)/g, language === 'en' ? ',' : '.')
  const forms = {
    en: [
      `${grouped} comments`,
      `${grouped} views`,
      `Comments (${count})`,
      `Views: ${grouped}`,
      `${grouped} likes`,
      `${(count / 1000).toFixed(1)}k shares`,
      `Downloads: ${grouped}`,
    ],
    es: [
      `${grouped} comentarios`,
      `${grouped} visitas`,
      `Comentarios (${count})`,
      `Visitas: ${grouped}`,
      `${grouped} visualizaciones`,
      `Descargas: ${grouped}`,
    ],
    pt: [
      `${grouped} comentários`,
      `${grouped} visualizações`,
      `Comentários (${count})`,
      `Acessos: ${grouped}`,
      `${grouped} curtidas`,
      `${grouped} leituras`,
    ],
  }[language]
  return random.pick(forms)
}

export function hex(random: SeededRandom, length: number): string {
  return Array.from({ length }, () => random.integer(16).toString(16)).join('')
}
