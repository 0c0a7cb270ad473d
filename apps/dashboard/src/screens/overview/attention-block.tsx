/** What needs attention, from the same list as `minga status`; nothing at all when nothing does. */
import { Link } from '@tanstack/react-router'
import type { AttentionItem } from '@minga/protocol'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { Ago } from '../../components/ago.tsx'

const EVERY_MS = 30_000
const SHOWN_FIRST = 5

export function AttentionBlock() {
  const { t } = useTranslation()
  const [isWhole, setIsWhole] = useState(false)
  const { data } = useStation(['attention'], 'GET /attention', { refetchInterval: EVERY_MS })
  const items = data?.items ?? []
  if (items.length === 0) return null
  const shown = isWhole ? items : items.slice(0, SHOWN_FIRST)
  return (
    <section className="card attention">
      <h2>{t('attention.title')}</h2>
      <ul>
        {shown.map((item) => (
          <li key={`${item.code} ${item.link} ${item.sentence}`}>
            <Item item={item} />
          </li>
        ))}
      </ul>
      {shown.length < items.length ? (
        <Button className="plain" onPress={() => setIsWhole(true)}>
          {t('attention.all', { total: items.length })}
        </Button>
      ) : null}
    </section>
  )
}

function Item({ item }: { item: AttentionItem }) {
  const { t } = useTranslation()
  const { code, level, params, since, link } = item
  return (
    <>
      <b>{t(`attention.level.${level}`)}</b>{' '}
      <Link to={link}>{t(`attention.sentence.${code}`, params)}</Link>{' '}
      <span className="quiet">
        {t(`attention.remedy.${code}`)}
        {since === null ? null : (
          <>
            {' '}
            · <Ago at={since} />
          </>
        )}
      </span>
    </>
  )
}
