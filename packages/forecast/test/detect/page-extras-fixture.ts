/**
 * Smaller parts of synthetic pages: what is announced (a change when it changes) and odd weather.
 */
import type { SeededRandom } from '@minga/testkit'
import { dayIn, headline, hex, sentence, type Language } from './page-words-fixture.ts'

/** What people come for. */
export interface Notices {
  eventDay: string
  hour: string
  openingHours: string
  phone: string
  release: string
  stock: number
}

export function makeNotices(random: SeededRandom, language: Language): Notices {
  return {
    eventDay: dayIn(random, language),
    hour: `${8 + random.integer(12)}:${random.pick(['00', '15', '30', '45'])}`,
    openingHours: `${7 + random.integer(4)}:00 - ${15 + random.integer(6)}:30`,
    phone: `+58 212 ${1_000_000 + random.integer(8_999_999)}`,
    release: `${1 + random.integer(8)}.${random.integer(20)}.${random.integer(9)}`,
    stock: 1 + random.integer(90),
  }
}

const SAID = {
  en: {
    at: 'The meeting begins at',
    open: 'Open',
    call: 'Call',
    release: 'Version',
    stock: 'in stock',
  },
  es: {
    at: 'La reunión empieza a las',
    open: 'Abierto',
    call: 'Llame al',
    release: 'Versión',
    stock: 'disponibles',
  },
  pt: {
    at: 'A reunião começa às',
    open: 'Aberto',
    call: 'Ligue para',
    release: 'Versão',
    stock: 'em estoque',
  },
}

export function renderNotices(notices: Notices, language: Language): string {
  const said = SAID[language]
  return `<div class="event"><div class="event-date">${notices.eventDay}</div><div class="event-name">${said.at} ${notices.hour}.</div></div>
<dl><dt>${said.open}</dt><dd>${notices.openingHours}</dd></dl>
<p>${said.call} ${notices.phone}. ${said.release} ${notices.release}, ${notices.stock} ${said.stock}.</p>`
}

/** Things that differ from fetch to fetch on real sites, each in its own dress. */
export interface Oddities {
  modules: string
  online: string
  visits: string
  signature: string
  domId: string
  entity: boolean
  viewState: string
  email: string
  /** Shows something else at every fetch: only a double fetch can tell. */
  quote: string
  /** One slot of the teasers shows an entry at random, some with a picture and some without. */
  slot: { title: string; image: string | null }
}

/** How many are here now, how many have been: wordings as sites have them. */
const ONLINE = {
  en: [
    'There are currently # users and # guests online.',
    'Online: #',
    '# guests online',
    'Users online: #',
    'Currently active users: # (# members and # guests)',
  ],
  es: [
    'Hay # usuarios conectados',
    'Usuarios en línea: #',
    '# invitados en línea',
    'Conectados: #',
    'Hay # visitantes y # miembros en línea',
  ],
  pt: [
    'Há # usuários online',
    'Online: #',
    '# visitantes online',
    'Usuários conectados: #',
    'Temos # visitantes e # membros online',
  ],
}
const VISITS = {
  en: [
    'You are visitor number #',
    'Total visits: #',
    'Read # times',
    'Hits: #',
    '# downloads',
    'Visitors today: #',
    'Page views: #',
  ],
  es: [
    'Leído # veces',
    'Visitas: #',
    'Visto # veces',
    'Total de visitas #',
    '# lecturas',
    'Visitas hoy: #',
  ],
  pt: [
    'Lido # vezes',
    'Visitas: #',
    'Acessos: #',
    '# acessos',
    'Total de acessos #',
    'Visto # vezes',
  ],
}

export function makeOddities(random: SeededRandom, language: Language): Oddities {
  const online = random.integer(5)
  const visits = random.integer(6)
  return {
    modules: random.shuffled('aBcDeFgHjK12345'.split('')).slice(0, 5).join(''),
    online: counted(random, ONLINE[language][online] ?? '#', 300),
    visits: counted(random, VISITS[language][visits] ?? '#', 1_000_000),
    signature: hex(random, 40),
    domId: hex(random, 64),
    entity: random.chance(0.5),
    viewState: hex(random, 120),
    email: hex(random, 40),
    quote: `“${sentence(random, language)}” ${headline(random, language)}`,
    slot: {
      title: headline(random, language),
      image: random.chance(0.5) ? `/img/slot-${random.integer(9_999)}.jpg` : null,
    },
  }
}

function counted(random: SeededRandom, wording: string, most: number): string {
  return wording.replaceAll('#', () => String(2 + random.integer(most)))
}

/** The same wordings with other numbers. */
export function laterOddities(now: Oddities, next: Oddities, random: SeededRandom): Oddities {
  const again = (line: string, most: number): string =>
    line.replace(/\d+/g, () => String(2 + random.integer(most)))
  const { quote, slot } = now
  return {
    ...next,
    online: again(now.online, 300),
    visits: again(now.visits, 1_000_000),
    quote,
    slot,
  }
}

export function renderOddities(odd: Oddities, language: Language): string {
  const dash = odd.entity ? '&ndash; caf&eacute; &#8220;Norte&#8221;' : '– café “Norte”'
  return `<div class="view view-news view-dom-id-${odd.domId}"><div class="styles_box__${odd.modules}">${dash}</div></div>
<form action="/search"><input type="hidden" name="__VIEWSTATE" value="${odd.viewState}"><input type="hidden" name="${odd.domId.slice(0, 32)}" value="1"></form>
<p><img src="/signed/map.png?X-Amz-Signature=${odd.signature}&amp;w=200" alt="map"> <a href="/cdn-cgi/l/email-protection#${odd.email}">e-mail</a></p>
<div class="whos">${odd.online}</div><p class="cnt">${odd.visits}</p>
<blockquote class="quote">${odd.quote}</blockquote>
<div class="teaser featured-slot"><h4>${odd.slot.title}</h4>${odd.slot.image === null ? '' : `<img src="${odd.slot.image}">`}</div>
<span lang="${language}"></span>`
}
