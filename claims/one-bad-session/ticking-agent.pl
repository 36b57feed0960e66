# An agent that prints the time and a number every EVERY milliseconds: `perl ticking-agent.pl EVERY`. It begins with its first
# message. In Perl, because twenty of them must leave the machine to what is measured.
use strict;
use warnings;
use Time::HiRes qw(time sleep);

$| = 1;
my ($every) = $ARGV[0] =~ /(\d+)/;
print qq({"type":"hello","conversation":"ticking","model":"none"}\n);
readline(STDIN);
my $due = time + rand($every) / 1000;
for (my $number = 1; ; $number += 1) {
  my $pause = $due - time;
  sleep $pause if $pause > 0;
  printf qq({"type":"spoken","what":"text","text":"%.6f %d"}\n), time, $number;
  $due += $every / 1000;
}
