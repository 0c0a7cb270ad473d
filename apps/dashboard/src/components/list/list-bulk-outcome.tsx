/** What became of an act on many rows: how many are done, how many were left, and why some failed. */
import { useTranslation } from 'react-i18next'
import { useFormat } from '../use-format.ts'
import { failureKinds, type BulkOutcome, type FailureKind } from './run-bulk.ts'

/** Of each kind; the rows that failed stay chosen and can be found in the list. */
const NAMED_MAX = 5

interface BulkOutcomeViewProps<Row> {
  outcome: BulkOutcome<Row>
  keyOf: (row: Row) => string | number
}

export function BulkOutcomeView<Row>({ outcome, keyOf }: BulkOutcomeViewProps<Row>) {
  const { t } = useTranslation()
  const format = useFormat()
  const { done, failed, undone } = outcome
  return (
    <div className="list-outcome">
      <p role="status">
        <b>{t('list.bulkDone', { count: done, number: format.count(done) })}</b>
        {undone.length === 0 ? null : (
          <> {t('list.undone', { count: undone.length, number: format.count(undone.length) })}</>
        )}
      </p>
      {failed.length === 0 ? null : (
        <div className="banner error" role="alert">
          {t('list.bulkFailed', { count: failed.length, number: format.count(failed.length) })}
          <ul>
            {failureKinds(failed, keyOf).map((kind) => (
              <Kind key={kind.code ?? kind.message} kind={kind} />
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

/** The same in a sentence, for a user who is on another screen by then. */
export function useOutcomeText(): (
  outcome: Pick<BulkOutcome<unknown>, 'done' | 'failed'>,
) => string {
  const { t } = useTranslation()
  const format = useFormat()
  return ({ done, failed }) => {
    const said = t('list.bulkDone', { count: done, number: format.count(done) })
    if (failed.length === 0) return said
    const number = format.count(failed.length)
    return `${said}, ${t('list.someFailed', { count: failed.length, number })}`
  }
}

function Kind({ kind: { code, message, keys } }: { kind: FailureKind }) {
  const { t } = useTranslation()
  const format = useFormat()
  const more = keys.length - NAMED_MAX
  return (
    <li>
      {format.count(keys.length)} × <span lang="en">{message || t('failure.gone')}</span>{' '}
      {code === null ? null : <code>{code}</code>}
      <span className="quiet block">
        {keys.slice(0, NAMED_MAX).join(', ')}
        {more > 0 ? ` ${t('list.andMore', { number: format.count(more) })}` : null}
      </span>
    </li>
  )
}
