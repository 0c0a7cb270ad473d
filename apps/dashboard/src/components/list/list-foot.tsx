import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { useNow } from '../../live/live-provider.tsx'
import { useFormat } from '../use-format.ts'
import type { ShownRows } from './list-view.tsx'

const AGE_EVERY_MS = 1_000

export function ListFoot<Row>({ shown }: { shown: ShownRows<Row> }) {
  const { t } = useTranslation()
  return (
    <div className="list-foot quiet">
      <RowCount shown={shown} />
      {shown.cutAt === null ? null : <Cut at={shown.cutAt} />}
      {shown.updatedAt === null ? null : <Updated at={shown.updatedAt} />}
      {shown.hasMore ? (
        <Button isDisabled={shown.isReading} onPress={shown.readMore}>
          {t(shown.isReading ? 'loading' : 'more')}
        </Button>
      ) : null}
    </div>
  )
}

/** Filters, order and export hold for what was read: the reader must know this. */
function Cut({ at }: { at: number }) {
  const { t } = useTranslation()
  const format = useFormat()
  return <b className="list-cut">{t('list.cut', { number: format.count(at) })}</b>
}

/** By the browser's clock, as the answer came. */
function Updated({ at }: { at: number }) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useNow(AGE_EVERY_MS)
  return <span>{t('live.updated', { age: format.span(now - at) })}</span>
}

/** "1,234 rows", or as many as were read so far. */
function RowCount<Row>({ shown }: { shown: ShownRows<Row> }) {
  const { t } = useTranslation()
  const format = useFormat()
  const read = shown.rows?.length ?? 0
  const isWhole = shown.total !== null && !shown.hasMore
  return (
    <span role="status">
      {isWhole
        ? t('list.rows', { count: read, number: format.count(read) })
        : t('list.rowsOf', {
            number: format.count(read),
            total: shown.total === null ? '…' : format.count(shown.total),
          })}
    </span>
  )
}
