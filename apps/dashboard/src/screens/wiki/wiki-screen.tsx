/** One wiki: its pages, when and by whom it is edited, whether it is whole, and how it is kept fresh. */
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WikiDetail } from '@minga/protocol'
import { EXPORTS, exportPath, readWiki, updateWiki } from '../../api/wikis.ts'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { DownloadLink } from '../../parts/download-link.tsx'
import { Failure } from '../../parts/failure.tsx'
import { FiguresList } from '../../parts/figures-list.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useFormat } from '../../parts/use-format.ts'
import { useMe } from '../../people/use-me.ts'
import { EditorsList } from './editors-list.tsx'
import { EditsOverTime, type DaySpan } from './edits-over-time.tsx'
import { HourMap } from './hour-map.tsx'
import { useAsk } from './use-ask.ts'
import { spanAsked, type WikiAsked } from './wiki-asked.ts'
import { WikiIntegrity } from './wiki-integrity.tsx'
import { WikiKeeping } from './wiki-keeping.tsx'
import { OutsideLink, WikiTrail } from './wiki-links.tsx'
import { WikiPages } from './wiki-pages.tsx'
import { namespaceName } from './wiki-words.ts'
import { WikiTasks } from './wiki-tasks.tsx'

const EVERY_MS = 10_000

export function WikiScreen() {
  const { wiki = '' } = useParams({ strict: false })
  const detail = useQuery({
    queryKey: ['wikis', wiki],
    queryFn: () => readWiki(wiki),
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
  const asked: WikiAsked = useSearch({ strict: false })
  const ask = useAsk()
  const { wiki } = detail
  const span = spanAsked(asked)
  const onSpan = ({ from = '', until = '' }: DaySpan): void => ask({ from, until })
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
  const update = useChange(() => updateWiki(wiki), ['wikis', 'wiki-tasks'])
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
    {
      label: t('wikiFigure.pages'),
      isNumber: true,
      cell: ({ pages }) => format.count(pages),
    },
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
