/** One wiki: its pages, when and by whom it is edited, whether it is whole, and how it is kept fresh. */
import { useParams, useSearch } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WikiDetail } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { EXPORTS, exportPath } from '../../api/wikis.ts'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { DownloadLink } from '../../components/download-link.tsx'
import { Failure } from '../../components/failure.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { EditorsList } from './editors-list.tsx'
import { EditsOverTime, type DaySpan } from './edits-over-time.tsx'
import { HourMap } from './hour-map.tsx'
import { useSetParams } from './use-set-params.ts'
import { parseSpan, type WikiParams } from './wiki-params.ts'
import { WikiIntegrity } from './wiki-integrity.tsx'
import { WikiKeeping } from './wiki-keeping.tsx'
import { OutsideLink, WikiTrail } from './wiki-links.tsx'
import { WikiPages } from './wiki-pages.tsx'
import { namespaceName } from './wiki-words.ts'
import { WikiTasks } from './wiki-tasks.tsx'

const EVERY_MS = 10_000

export function WikiScreen() {
  const { wiki = '' } = useParams({ strict: false })
  const detail = useStation(['wikis', wiki], 'GET /wikis/{wiki}/summary', {
    params: { wiki },
    refetchInterval: EVERY_MS,
  })
  return (
    <>
      <WikiTrail />
      <h1>{detail.data?.name ?? wiki}</h1>
      <Loaded query={detail}>{(known) => <Wiki detail={known} />}</Loaded>
    </>
  )
}

function Wiki({ detail }: { detail: WikiDetail }) {
  const { t } = useTranslation()
  const params: WikiParams = useSearch({ strict: false })
  const setParams = useSetParams()
  const { wiki } = detail
  const span = parseSpan(params)
  const onSpan = ({ from = '', until = '' }: DaySpan): void => setParams({ from, until })
  return (
    <>
      <About detail={detail} />
      <WikiPages wiki={wiki} namespaces={detail.namespaces} />
      <EditsOverTime wiki={wiki} scope={{}} span={span} onSpan={onSpan} />
      <div className="columns">
        <EditorsList wiki={wiki} scope={span} title={t('wikiFigure.topEditors')} />
        <div>
          <HourMap wiki={wiki} scope={span} />
          <Namespaces detail={detail} />
        </div>
      </div>
      {detail.hasApi ? <WikiTasks wiki={wiki} /> : null}
      <div className="columns">
        <WikiIntegrity detail={detail} />
        <div>
          <WikiKeeping detail={detail} />
          <Exports wiki={wiki} />
        </div>
      </div>
    </>
  )
}

function About({ detail }: { detail: WikiDetail }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const format = useFormat()
  const { wiki, base, language, licence, firstAt, newestAt, hasApi } = detail
  const update = useChange(
    () => station('POST /wikis/{wiki}/update', { params: { wiki }, body: {} }),
    ['wikis', 'wiki-tasks'],
  )
  return (
    <>
      <p className="quiet address">
        {base === null ? wiki : <OutsideLink url={base}>{base}</OutsideLink>}
        {language === null ? '' : ` · ${language}`}
        {licence === null ? '' : ` · ${licence}`}
      </p>
      <FiguresList
        className="tiles"
        figures={[
          { label: t('wikiFigure.pages'), value: format.count(detail.pages) },
          { label: t('wikiFigure.revisions'), value: format.count(detail.revisions) },
          { label: t('wikiFigure.editors'), value: format.count(detail.editors) },
          { label: t('wikiFigure.rawBytes'), value: format.bytes(detail.rawBytes) },
          { label: t('wikiFigure.storedBytes'), value: format.bytes(detail.storedBytes) },
          {
            label: t('wikiFigure.span'),
            value:
              firstAt === null || newestAt === null
                ? t('figure.unknown')
                : `${new Date(firstAt).getUTCFullYear()}–${new Date(newestAt).getUTCFullYear()}`,
          },
        ]}
      />
      <Failure error={update.error} />
      {hasApi && may('collections:write') ? (
        <p className="actions">
          <Button onPress={() => update.mutate(undefined)} isDisabled={update.isPending}>
            {t('wiki.update')}
          </Button>
          <span role="status" className="quiet">
            {update.isSuccess ? t('wiki.updateBegun') : ''}
          </span>
        </p>
      ) : null}
    </>
  )
}

type NamespaceRow = WikiDetail['namespaces'][number]

function Namespaces({ detail }: { detail: WikiDetail }) {
  const { t } = useTranslation()
  const format = useFormat()
  const columns: Column<NamespaceRow>[] = [
    {
      label: t('wikiFigure.namespace'),
      cell: (row) => namespaceName(row, t('wikiFigure.articles')),
    },
    { label: t('wikiFigure.pages'), isNumber: true, cell: ({ pages }) => format.count(pages) },
    {
      label: t('wikiFigure.revisions'),
      isNumber: true,
      cell: ({ revisions }) => format.count(revisions),
    },
  ]
  return (
    <section className="card">
      <h2>{t('wikiFigure.namespaces')}</h2>
      <DataTable
        caption={t('wikiFigure.namespaces')}
        columns={columns}
        rows={detail.namespaces}
        keyOf={({ ns }) => ns}
      />
    </section>
  )
}

function Exports({ wiki }: { wiki: string }) {
  const { t } = useTranslation()
  return (
    <section className="card">
      <h2>{t('wiki.exports')}</h2>
      <p className="quiet">{t('wiki.exportsNote')}</p>
      <p className="actions">
        {EXPORTS.map((as) => (
          <DownloadLink key={as} path={exportPath(wiki, as)} fileName={`${wiki}.${as}`} isLarge>
            {t('wiki.exportAs', { form: as.toUpperCase() })}
          </DownloadLink>
        ))}
      </p>
    </section>
  )
}
