/** How a wiki is kept fresh, and with what the station logs in there. Secrets go in and never come out. */
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WikiDetail, WikiLogInState } from '@minga/protocol'
import { FieldForm } from '../../components/field-form.tsx'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Failure } from '../../components/failure.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import { Freshness } from './freshness.tsx'
import { TimeUntil } from '../../components/time-until.tsx'

export function WikiKeeping({ detail }: { detail: WikiDetail }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const { wiki, feed, hasApi } = detail
  const change = useChange(
    (on: boolean) => station('PUT /wikis/{wiki}/feed', { params: { wiki }, body: { on } }),
    ['wikis', 'wiki-schedule'],
  )
  return (
    <section className="card">
      <h2>{t('wikiKeep.title')}</h2>
      <p>
        <Freshness summary={detail} />
      </p>
      {feed?.isOn ? (
        <p className="quiet">
          {t('wikiSchedule.nextPollAt')}: <TimeUntil at={feed.nextPollAt} /> ·{' '}
          {t('wikiSchedule.nextSweepAt')}: <TimeUntil at={feed.nextSweepAt} />
        </p>
      ) : null}
      <Failure error={change.error} />
      {may('collections:write') ? (
        <p className="actions">
          <Button onPress={() => change.mutate(!feed?.isOn)} isDisabled={change.isPending}>
            {t(feed?.isOn ? 'wikiKeep.pause' : 'wikiKeep.follow')}
          </Button>
        </p>
      ) : null}
      {hasApi && may('settings:read') ? <LogIn wiki={wiki} /> : null}
    </section>
  )
}

function LogIn({ wiki }: { wiki: string }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const state = useStation(['wiki-log-in', wiki], 'GET /wikis/{wiki}/log-in', { params: { wiki } })
  return (
    <>
      <h3>{t('wikiKeep.logIn')}</h3>
      <p className="quiet">{t('wikiKeep.logInNote')}</p>
      <Loaded query={state}>
        {(known) => (
          <>
            <LogInMarks known={known} />
            {may('settings:write') ? <Secrets wiki={wiki} known={known} /> : null}
          </>
        )}
      </Loaded>
    </>
  )
}

function LogInMarks({ known: { hasToken, bot } }: { known: WikiLogInState }) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <ul className="names">
      <li>
        {t('wikiKeep.token')}{' '}
        <StatusBadge
          kind={hasToken ? 'info' : 'quiet'}
          text={t(hasToken ? 'wikiKeep.given' : 'wikiKeep.none')}
        />
      </li>
      <li>
        {t('wikiKeep.bot')}{' '}
        {bot === null ? (
          <StatusBadge kind="quiet" text={t('wikiKeep.none')} />
        ) : (
          <>
            <StatusBadge
              kind={bot.refusedUntil === null ? 'info' : 'bad'}
              text={t(bot.refusedUntil === null ? 'wikiKeep.given' : 'wikiKeep.refused')}
            />{' '}
            {bot.user}
          </>
        )}
        {bot === null || bot.refusedUntil === null ? null : (
          <p>
            {t('wikiKeep.refusedUntil', { moment: format.moment(bot.refusedUntil) })}{' '}
            <code>{bot.code}</code>
          </p>
        )}
      </li>
    </ul>
  )
}

const TOUCHED = ['wiki-log-in']

function Secrets({ wiki, known }: { wiki: string; known: WikiLogInState }) {
  const { t } = useTranslation()
  const forget = useChange(async () => {
    await station('PUT /wikis/{wiki}/token', { params: { wiki }, body: { token: null } })
    await station('PUT /wikis/{wiki}/bot-password', { params: { wiki }, body: { logIn: null } })
  }, TOUCHED)
  return (
    <details>
      <summary>{t('wikiKeep.change')}</summary>
      <TokenForm wiki={wiki} />
      <BotForm wiki={wiki} />
      <Failure error={forget.error} />
      {known.hasToken || known.bot !== null ? (
        <p className="actions">
          <ConfirmButton
            label={t('wikiKeep.forget')}
            title={t('wikiKeep.forgetTitle')}
            text={t('wikiKeep.forgetText')}
            onConfirm={() => forget.mutate(undefined)}
          />
        </p>
      ) : null}
    </details>
  )
}

function TokenForm({ wiki }: { wiki: string }) {
  const { t } = useTranslation()
  return (
    <FieldForm
      fields={[
        {
          name: 'token',
          label: t('wikiKeep.newToken'),
          type: 'password',
          help: t('wikiKeep.tokenHelp'),
        },
      ]}
      send={(text) =>
        station('PUT /wikis/{wiki}/token', {
          params: { wiki },
          body: { token: text('token').trim() },
        })
      }
      touched={TOUCHED}
      isFit={(text) => text('token').trim() !== ''}
      label={t('wikiKeep.saveToken')}
      isWaiting
    />
  )
}

function BotForm({ wiki }: { wiki: string }) {
  const { t } = useTranslation()
  return (
    <FieldForm
      fields={[
        {
          name: 'user',
          label: t('wikiKeep.botName'),
          placeholder: 'Ana@minga',
          help: t('wikiKeep.botHelp'),
          isKept: true,
        },
        { name: 'password', label: t('wikiKeep.botPassword'), type: 'password' },
      ]}
      send={(text) =>
        station('PUT /wikis/{wiki}/bot-password', {
          params: { wiki },
          body: { logIn: { user: text('user'), password: text('password') } },
        })
      }
      touched={TOUCHED}
      isFit={(text) => /^[^@]+@[^@]+$/.test(text('user'))}
      label={t('wikiKeep.saveBot')}
      isWaiting
    />
  )
}
