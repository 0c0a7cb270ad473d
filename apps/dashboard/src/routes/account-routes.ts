import { lazyRouteComponent } from '@tanstack/react-router'
import { LogInScreen, RegisterScreen } from '../screens/account/log-in-screen.tsx'
import { ResetScreen } from '../screens/account/reset-screen.tsx'
import { screen } from './root.ts'

export const accountRoutes = [
  screen('/log-in', LogInScreen),
  screen('/register', RegisterScreen),
  screen('/reset', ResetScreen),
  screen(
    '/log-in/answer',
    lazyRouteComponent(
      () => import('../screens/account/oidc-answer-screen.tsx'),
      'OidcAnswerScreen',
    ),
  ),
  screen(
    '/forgotten',
    lazyRouteComponent(() => import('../screens/account/mail-screens.tsx'), 'ForgottenScreen'),
  ),
  screen(
    '/confirm-email',
    lazyRouteComponent(() => import('../screens/account/mail-screens.tsx'), 'ConfirmEmailScreen'),
  ),
  screen(
    '/account',
    lazyRouteComponent(() => import('../screens/account/account-screen.tsx'), 'AccountScreen'),
  ),
  screen(
    '/keys',
    lazyRouteComponent(() => import('../screens/account/keys-screen.tsx'), 'KeysScreen'),
  ),
  screen(
    '/money',
    lazyRouteComponent(() => import('../screens/account/money-screen.tsx'), 'MoneyScreen'),
  ),
] as const
