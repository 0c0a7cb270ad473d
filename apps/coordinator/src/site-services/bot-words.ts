/** The words of the page for site owners, in three languages. */

const en = {
  language: 'en',
  languageName: 'English',
  languages: 'Language',
  title: 'About this bot',
  who: 'Who is this?',
  whoText:
    'MingaBot collects web pages for the archive of this station. Its requests are made by several machines, some of them lent by volunteers; the station decides what is fetched, and when.',
  agent: 'It calls itself',
  contact: 'Contact',
  noContact: 'The operator of this station gave no contact.',
  obeys: 'What it obeys',
  obeysRobots: 'robots.txt (RFC 9309). The name to use in User-agent is:',
  obeysDelay: 'Crawl-delay, counted from the end of each answer, over all machines together.',
  obeysRetry: 'Retry-After, and answers 429 and 503: it slows down by itself.',
  obeysOnce:
    'One connection at a time to a host that wants a pause. Only GET requests. No log-in, no forms.',
  signed: 'Requests are signed (Web Bot Auth, RFC 9421). The public keys:',
  addressTitle: 'Was this address yours?',
  addressText:
    'Find an address of your log and ask. The station keeps the network of an address only (/24 or /48), for a time, so the answer is about the network: whether a machine of ours in it asked your host around that time.',
  host: 'Host',
  hostHint: 'As in example.org, without a scheme or a path.',
  address: 'IP address',
  at: 'Time (UTC)',
  atHint: 'As in 2026-05-06T12:30:00',
  ask: 'Ask',
  answerYes: 'Yes: a machine of this station in that network asked this host around then.',
  answerNo: 'No: no machine of this station in that network asked this host around then.',
  answerUnknown: 'Unknown: nothing is kept about that time.',
  ownTitle: 'Slow it down, stop it, see what it asked',
  ownText:
    'Show first that the host is yours. You publish a word, as a file or in DNS; the station looks for it, and what you decide then holds at once.',
  begin: 'Begin',
  proveTitle: 'Show that it is yours',
  proveEither: 'Do one of these two:',
  proveFile: 'Put a text file with this line at',
  proveDns: 'Or add this TXT record to DNS (needed to decide about sub-domains as well):',
  name: 'Name',
  value: 'Value',
  keep: 'Keep this page open, or note the two lines below: with them you can come back.',
  id: 'Proof',
  secret: 'Secret',
  check: 'Check now',
  again: 'Come back with a proof',
  notYet: 'It was not found yet.',
  waiting: 'The file is being fetched; check again in a moment.',
  saidFile: 'The file',
  saidDns: 'DNS',
  proven: 'It is yours.',
  provenUntil: 'This holds until',
  askedTitle: 'What was asked of this host in the last 30 days',
  day: 'Day (UTC)',
  responses: 'Answers',
  errors: 'Of these errors',
  bytes: 'Bytes',
  nothingAsked: 'Nothing.',
  ruleTitle: 'What holds now',
  ruleNone: 'Nothing special: robots.txt decides.',
  ruleClosed: 'Nothing is fetched from this host.',
  ruleSlow: 'Pause between two requests, in seconds:',
  undo: 'Undo',
  about: 'For',
  slow: 'Slow down',
  slowField: 'Pause between two requests, in seconds',
  stop: 'Stop fetching',
  stopText: 'Nothing is fetched from then on, and what was queued is given up.',
  problem: 'That did not work',
  back: 'Back to the beginning',
}

export type Words = typeof en

const es: Words = {
  language: 'es',
  languageName: 'Español',
  languages: 'Idioma',
  title: 'Sobre este robot',
  who: '¿Quién es?',
  whoText:
    'MingaBot recoge páginas web para el archivo de esta estación. Sus peticiones las hacen varias máquinas, algunas prestadas por voluntarios; la estación decide qué se pide y cuándo.',
  agent: 'Se presenta como',
  contact: 'Contacto',
  noContact: 'El operador de esta estación no dio ningún contacto.',
  obeys: 'Qué respeta',
  obeysRobots: 'robots.txt (RFC 9309). El nombre que se pone en User-agent es:',
  obeysDelay: 'Crawl-delay, contado desde el final de cada respuesta, entre todas las máquinas.',
  obeysRetry: 'Retry-After y las respuestas 429 y 503: va más despacio por sí mismo.',
  obeysOnce:
    'Una sola conexión a la vez con un servidor que pide pausa. Solo peticiones GET. Sin sesiones ni formularios.',
  signed: 'Las peticiones van firmadas (Web Bot Auth, RFC 9421). Las claves públicas:',
  addressTitle: '¿Esta dirección era suya?',
  addressText:
    'Busque una dirección en su registro y pregunte. La estación guarda solo la red de una dirección (/24 o /48) y por un tiempo; la respuesta es sobre la red: si una máquina nuestra en ella pidió algo a su servidor en ese momento.',
  host: 'Servidor',
  hostHint: 'Como example.org, sin esquema ni ruta.',
  address: 'Dirección IP',
  at: 'Hora (UTC)',
  atHint: 'Como 2026-05-06T12:30:00',
  ask: 'Preguntar',
  answerYes:
    'Sí: una máquina de esta estación en esa red pidió algo a este servidor en ese momento.',
  answerNo:
    'No: ninguna máquina de esta estación en esa red pidió algo a este servidor en ese momento.',
  answerUnknown: 'No se sabe: no se guarda nada de ese momento.',
  ownTitle: 'Ir más despacio, parar, ver qué pidió',
  ownText:
    'Muestre primero que el servidor es suyo. Usted publica una palabra, en un archivo o en el DNS; la estación la busca, y lo que decida después vale de inmediato.',
  begin: 'Empezar',
  proveTitle: 'Muestre que es suyo',
  proveEither: 'Haga una de estas dos cosas:',
  proveFile: 'Ponga un archivo de texto con esta línea en',
  proveDns: 'O añada este registro TXT al DNS (hace falta para decidir también sobre subdominios):',
  name: 'Nombre',
  value: 'Valor',
  keep: 'Deje abierta esta página o anote las dos líneas siguientes: con ellas puede volver.',
  id: 'Prueba',
  secret: 'Secreto',
  check: 'Comprobar ahora',
  again: 'Volver con una prueba',
  notYet: 'Todavía no se encontró.',
  waiting: 'Se está pidiendo el archivo; compruebe otra vez en un momento.',
  saidFile: 'El archivo',
  saidDns: 'DNS',
  proven: 'Es suyo.',
  provenUntil: 'Esto vale hasta',
  askedTitle: 'Qué se pidió a este servidor en los últimos 30 días',
  day: 'Día (UTC)',
  responses: 'Respuestas',
  errors: 'De ellas, errores',
  bytes: 'Bytes',
  nothingAsked: 'Nada.',
  ruleTitle: 'Qué vale ahora',
  ruleNone: 'Nada especial: decide robots.txt.',
  ruleClosed: 'No se pide nada a este servidor.',
  ruleSlow: 'Pausa entre dos peticiones, en segundos:',
  undo: 'Deshacer',
  about: 'Para',
  slow: 'Ir más despacio',
  slowField: 'Pausa entre dos peticiones, en segundos',
  stop: 'Dejar de pedir',
  stopText: 'Desde ese momento no se pide nada, y lo que estaba en cola se abandona.',
  problem: 'No funcionó',
  back: 'Volver al principio',
}

const pt: Words = {
  language: 'pt',
  languageName: 'Português',
  languages: 'Língua',
  title: 'Sobre este robô',
  who: 'Quem é?',
  whoText:
    'O MingaBot recolhe páginas da web para o arquivo desta estação. Os pedidos são feitos por várias máquinas, algumas emprestadas por voluntários; a estação decide o que é pedido e quando.',
  agent: 'Apresenta-se como',
  contact: 'Contato',
  noContact: 'O operador desta estação não deu nenhum contato.',
  obeys: 'O que respeita',
  obeysRobots: 'robots.txt (RFC 9309). O nome a usar em User-agent é:',
  obeysDelay: 'Crawl-delay, contado a partir do fim de cada resposta, entre todas as máquinas.',
  obeysRetry: 'Retry-After e as respostas 429 e 503: abranda por si mesmo.',
  obeysOnce:
    'Uma só ligação de cada vez a um servidor que pede pausa. Só pedidos GET. Sem sessões nem formulários.',
  signed: 'Os pedidos são assinados (Web Bot Auth, RFC 9421). As chaves públicas:',
  addressTitle: 'Este endereço era seu?',
  addressText:
    'Procure um endereço no seu registo e pergunte. A estação guarda só a rede de um endereço (/24 ou /48) e por um tempo; a resposta é sobre a rede: se uma máquina nossa nela pediu algo ao seu servidor nesse momento.',
  host: 'Servidor',
  hostHint: 'Como example.org, sem esquema nem caminho.',
  address: 'Endereço IP',
  at: 'Hora (UTC)',
  atHint: 'Como 2026-05-06T12:30:00',
  ask: 'Perguntar',
  answerYes: 'Sim: uma máquina desta estação nessa rede pediu algo a este servidor nesse momento.',
  answerNo:
    'Não: nenhuma máquina desta estação nessa rede pediu algo a este servidor nesse momento.',
  answerUnknown: 'Não se sabe: nada é guardado sobre esse momento.',
  ownTitle: 'Abrandar, parar, ver o que foi pedido',
  ownText:
    'Mostre primeiro que o servidor é seu. Publica uma palavra, num arquivo ou no DNS; a estação procura-a, e o que decidir depois vale de imediato.',
  begin: 'Começar',
  proveTitle: 'Mostre que é seu',
  proveEither: 'Faça uma destas duas coisas:',
  proveFile: 'Ponha um arquivo de texto com esta linha em',
  proveDns:
    'Ou acrescente este registo TXT ao DNS (preciso para decidir também sobre subdomínios):',
  name: 'Nome',
  value: 'Valor',
  keep: 'Deixe esta página aberta ou anote as duas linhas abaixo: com elas pode voltar.',
  id: 'Prova',
  secret: 'Segredo',
  check: 'Verificar agora',
  again: 'Voltar com uma prova',
  notYet: 'Ainda não foi encontrada.',
  waiting: 'O arquivo está a ser pedido; verifique de novo daqui a pouco.',
  saidFile: 'O arquivo',
  saidDns: 'DNS',
  proven: 'É seu.',
  provenUntil: 'Isto vale até',
  askedTitle: 'O que foi pedido a este servidor nos últimos 30 dias',
  day: 'Dia (UTC)',
  responses: 'Respostas',
  errors: 'Destas, erros',
  bytes: 'Bytes',
  nothingAsked: 'Nada.',
  ruleTitle: 'O que vale agora',
  ruleNone: 'Nada de especial: decide o robots.txt.',
  ruleClosed: 'Nada é pedido a este servidor.',
  ruleSlow: 'Pausa entre dois pedidos, em segundos:',
  undo: 'Desfazer',
  about: 'Para',
  slow: 'Abrandar',
  slowField: 'Pausa entre dois pedidos, em segundos',
  stop: 'Deixar de pedir',
  stopText: 'A partir daí nada é pedido, e o que estava em fila é abandonado.',
  problem: 'Não funcionou',
  back: 'Voltar ao início',
}

export const BOT_WORDS = { en, es, pt }
export type BotLanguage = keyof typeof BOT_WORDS

/** The language chosen on the page, else the one that the browser requests. */
export function chosenLanguage(chosen: unknown, accepted: string | undefined): BotLanguage {
  return typeof chosen === 'string' && Object.hasOwn(BOT_WORDS, chosen)
    ? (chosen as BotLanguage)
    : languageOf(accepted)
}

/** The first language of an Accept-Language header that the page speaks, by weight. */
export function languageOf(accepted: string | undefined): BotLanguage {
  const wanted = (accepted ?? '')
    .split(',')
    .slice(0, 20)
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
      const q = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find(Boolean)
      return { tag: tag.split('-')[0]!, weight: q === undefined ? 1 : Number(q) }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
  const known = wanted.find(({ tag }) => Object.hasOwn(BOT_WORDS, tag))
  return (known?.tag ?? 'en') as BotLanguage
}
