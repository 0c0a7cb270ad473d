import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { readText } from '../../../api/wikis.ts'
import { Loaded } from '../../../components/loaded.tsx'

/** Longer texts are shown on request: laying them out takes a while. */
const CHARS_SHOWN = 200_000

/** Wikitext as it was written: a text, never a page. */
export function RevisionText({ wiki, revId }: { wiki: string; revId: number }) {
  const { t } = useTranslation()
  const [isWhole, setIsWhole] = useState(false)
  const text = useQuery({
    queryKey: ['wiki-text', wiki, revId],
    queryFn: () => readText(wiki, revId),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (former) => former,
  })
  return (
    <Loaded query={text}>
      {(known) => (
        <>
          <pre className="wikitext" tabIndex={0} aria-label={t('wikiPage.textOf', { revId })}>
            {isWhole ? known : known.slice(0, CHARS_SHOWN)}
          </pre>
          {known.length > CHARS_SHOWN && !isWhole ? (
            <Button onPress={() => setIsWhole(true)}>{t('wikiPage.whole')}</Button>
          ) : null}
        </>
      )}
    </Loaded>
  )
}
