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
  stopText: 'No more alerts of this kind will be sent to {target}.',
  stopped: 'Stopped. No more alerts of this kind will be sent.',
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
  stopText: 'No se enviarán más avisos de este tipo a {target}.',
  stopped: 'Hecho. No se enviarán más avisos de este tipo.',
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
  stopText: 'Não serão enviados mais avisos deste tipo a {target}.',
  stopped: 'Feito. Não serão enviados mais avisos deste tipo.',
  feed: 'O que mudou: {name}',
  feedAll: 'O que mudou do que você observa',
}

export const ALERT_WORDS: Record<AlertLanguage, AlertWords> = { en, es, pt }

export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (hole, name: string) => String(values[name] ?? hole))
}
