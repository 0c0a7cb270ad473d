import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { createFormat, type Format } from '../format.ts'
import { useZone } from './use-zone.ts'

export function useFormat(): Format {
  const { i18n } = useTranslation()
  const zone = useZone()
  return useMemo(() => createFormat(i18n.language, zone), [i18n.language, zone])
}
