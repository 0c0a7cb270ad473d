/** The words of alerts, in three languages. What is in braces is filled in. */
import type { AlertLanguage } from '@minga/protocol'

const en = {
  changed: 'Changed: {name}',
  failing: 'Fails: {name}',
  back: 'Back again: {name}',
  several: '{count} news of {name}',
  severalWatches: '{count} news of what you watch',
  test: 'Test of an alert of Minga',
  testText: 'This is a test: alerts of this kind will reach you here.',
  important: 'An important change.',
  unimportant: 'A change below the threshold of importance.',
  amounts: 'Text: {content}. Structure: {structural}. Look: {visual}.',
  failingText: '{failures} visits in a row have failed; the last one with {code}.',
  backText: 'It answers again, after {failures} visits that failed.',
  levels: ['unchanged', 'slightly changed', 'changed', 'much changed', 'nearly all changed'],
  what: 'What changed:',
  compare: 'Compare the two versions',
  replay: 'See it in the archive',
  more: 'And {count} more.',
  why: 'You get this because of alert {id}.',
  stop: 'Stop it',
  stopTitle: 'Stop these alerts?',
  stopText:
    'No more alerts will be sent to {target}, of any account. Only a link that is sent there can change that.',
  stopped: 'Stopped. No more alerts will be sent.',
  askSubject: 'Confirm that you want alerts of Minga',
  askText:
    'An account of {station} wants to send alerts about watched web pages to this address. Nothing is sent until you agree. The link works once, for three days.',
  aStation: 'a station of Minga',
  askWhere: 'This is an address of the station: open it there.',
  askElse: 'If you do not know what this is about, ignore it: you get no alerts.',
  confirm: 'Yes, send me alerts',
  confirmTitle: 'Do you want these alerts?',
  confirmText:
    'Alerts about watched web pages will be sent to {target}. Each has a link that stops them.',
  confirmed: 'Confirmed. Alerts will be sent to you from now on.',
  refuse: 'Never send me alerts',
  refuseTitle: 'Never get alerts?',
  feed: 'What changed: {name}',
  feedAll: 'What changed of what you watch',
}

export type AlertWords = typeof en

const es: AlertWords = {
  changed: 'Cambió: {name}',
  failing: 'Falla: {name}',
  back: 'De nuevo accesible: {name}',
  several: '{count} novedades de {name}',
  severalWatches: '{count} novedades de lo que vigila',
  test: 'Prueba de un aviso de Minga',
  testText: 'Esto es una prueba: los avisos de este tipo le llegarán aquí.',
  important: 'Un cambio importante.',
  unimportant: 'Un cambio por debajo del umbral de importancia.',
  amounts: 'Texto: {content}. Estructura: {structural}. Aspecto: {visual}.',
  failingText: '{failures} visitas seguidas han fallado; la última con {code}.',
  backText: 'Responde de nuevo, tras {failures} visitas fallidas.',
  levels: ['sin cambios', 'cambió un poco', 'cambió', 'cambió mucho', 'cambió casi todo'],
  what: 'Qué cambió:',
  compare: 'Comparar las dos versiones',
  replay: 'Verlo en el archivo',
  more: 'Y {count} más.',
  why: 'Recibe esto por el aviso {id}.',
  stop: 'No recibir más',
  stopTitle: '¿No recibir más estos avisos?',
  stopText:
    'No se enviarán más avisos a {target}, de ninguna cuenta. Solo puede cambiarlo un enlace que se envíe allí.',
  stopped: 'Hecho. No se enviarán más avisos.',
  askSubject: 'Confirme que desea recibir avisos de Minga',
  askText:
    'Una cuenta de {station} desea enviar a esta dirección avisos sobre páginas web vigiladas. No se envía nada hasta que usted acepte. El enlace funciona una vez, durante tres días.',
  aStation: 'una estación de Minga',
  askWhere: 'Es una dirección de la estación: ábrala allí.',
  askElse: 'Si no sabe de qué se trata, no haga nada: no recibirá avisos.',
  confirm: 'Sí, quiero recibir avisos',
  confirmTitle: '¿Desea recibir estos avisos?',
  confirmText:
    'Se enviarán a {target} avisos sobre páginas web vigiladas. Cada uno tiene un enlace para no recibir más.',
  confirmed: 'Confirmado. Desde ahora recibirá avisos.',
  refuse: 'No enviarme nunca avisos',
  refuseTitle: '¿No recibir nunca avisos?',
  feed: 'Qué cambió: {name}',
  feedAll: 'Qué cambió de lo que vigila',
}

const pt: AlertWords = {
  changed: 'Mudou: {name}',
  failing: 'Falha: {name}',
  back: 'De novo acessível: {name}',
  several: '{count} novidades de {name}',
  severalWatches: '{count} novidades do que você observa',
  test: 'Teste de um aviso do Minga',
  testText: 'Isto é um teste: avisos deste tipo chegarão aqui.',
  important: 'Uma mudança importante.',
  unimportant: 'Uma mudança abaixo do limiar de importância.',
  amounts: 'Texto: {content}. Estrutura: {structural}. Aspecto: {visual}.',
  failingText: '{failures} visitas seguidas falharam; a última com {code}.',
  backText: 'Responde de novo, após {failures} visitas que falharam.',
  levels: ['sem mudanças', 'mudou um pouco', 'mudou', 'mudou muito', 'mudou quase tudo'],
  what: 'O que mudou:',
  compare: 'Comparar as duas versões',
  replay: 'Ver no arquivo',
  more: 'E mais {count}.',
  why: 'Você recebe isto por causa do aviso {id}.',
  stop: 'Não receber mais',
  stopTitle: 'Não receber mais estes avisos?',
  stopText:
    'Não serão enviados mais avisos a {target}, de nenhuma conta. Só um link enviado para lá pode mudar isso.',
  stopped: 'Feito. Não serão enviados mais avisos.',
  askSubject: 'Confirme que deseja receber avisos do Minga',
  askText:
    'Uma conta de {station} deseja enviar a este endereço avisos sobre páginas da web observadas. Nada é enviado até que você aceite. O link funciona uma vez, durante três dias.',
  aStation: 'uma estação do Minga',
  askWhere: 'É um endereço da estação: abra-o lá.',
  askElse: 'Se não sabe do que se trata, ignore: não receberá avisos.',
  confirm: 'Sim, quero receber avisos',
  confirmTitle: 'Deseja receber estes avisos?',
  confirmText:
    'Serão enviados a {target} avisos sobre páginas da web observadas. Cada um tem um link para não receber mais.',
  confirmed: 'Confirmado. A partir de agora receberá avisos.',
  refuse: 'Nunca me enviar avisos',
  refuseTitle: 'Nunca receber avisos?',
  feed: 'O que mudou: {name}',
  feedAll: 'O que mudou do que você observa',
}

export const ALERT_WORDS: Record<AlertLanguage, AlertWords> = { en, es, pt }

export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (hole, name: string) => String(values[name] ?? hole))
}
