/** What an event says in the language of the page; null when only the station's own sentence is there. */
import { useTranslation } from 'react-i18next'
import type { LoggedEvent } from '@minga/protocol'
import { useFormat } from '../../components/use-format.ts'
import { sentenceOf } from './event-sentence.ts'

export function useEventSentence(): (event: LoggedEvent) => string | null {
  const { t, i18n } = useTranslation()
  const format = useFormat()
  const text = (key: string, count?: number): string | null => {
    const forms = count === undefined ? {} : { count }
    return i18n.exists(key, forms) ? t(key, { ...forms, skipInterpolation: true }) : null
  }
  return (event) => sentenceOf(event, { text, format })
}
